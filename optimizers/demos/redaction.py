"""Made-up twins of demonstrations, for personas that may not read all that a demonstration quotes.

A twin is made of the words of the authors of task, tools and tables, and of nothing that an episode has read:
no cell of any record can change a byte of it. Its calls and its answer are those of the task's gold plan,
also where a trajectory differs from it. The results of its calls are made up by the declared result of the
tool and the schema of its table, in as many rows as the answer needs.

Every word of a slot, an argument or the answer is replaced by a made-up one, within a twin always by the
same. These stay: words of the tools' descriptions, among them the values that an argument may have, of the
house rules, and of the task's own phrasing around its slots. A value that a later step uses, and that the
task does not give, stands in the result before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import regex  # type: ignore[import-untyped]

from worksmith.evals.dspy_programs.demo_format import DemoNotes, calls_in, without_notes
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep, gold_transcripts
from worksmith.optimizers.demos.demonstration import Call
from worksmith.optimizers.demos.results import MadeUpResults
from worksmith.retrievers.texts.words import CHARACTER, WORD
from worksmith.tools.seeding import rng
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment

_PIECE = regex.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)|(?P<clock>T?\d\d:\d\d(?::\d\d)?(?!\d))"
    rf"|(?P<word>{CHARACTER}|(?:(?!_){WORD})+)"
)
_CHARACTER = regex.compile(CHARACTER)
"""Is kept nowhere: names are made of the characters of other words."""

_CONTEXT = re.compile(r"Now: \w+ \d{4}-\d\d-\d\d \d\d:\d\d\. Working for: ")
_HANDLE = re.compile(r"#\d+")
"""A handle for the result of a call; the number is the call's own, and of no record."""

_SHIFT = (40, 400)
_CLOCK = ((8, 19), (0, 59), (0, 59))
_ONSETS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_NOTE = " Names and values of this example are made up."


def with_twins(
    calls: Mapping[str, Call], task: Task, env: Environment, *, reflected: bool = False
) -> dict[str, Call]:
    """The calls; one that quotes records gets its twin among the inputs.

    A task without known slots has no twin, since it is not known which of its words come from records.

    Args:
        reflected: the calls are not for prompts of readers but for a model that proposes instructions. It
            shows the calls, with or without a gold plan.
    """
    if not task.slots or not any(DemoNotes.of(call.inputs).records for call in calls.values()):
        return dict(calls)
    made = max((calls_in(call.fields) for call in calls.values()), key=len, default=[])
    plans = gold_transcripts(task)
    followed = [one for one in plans if [(step.tool, step.arguments) for step in one.steps] == made[:-1]]
    script = _as_made(task, made) if reflected else next(iter((*followed, *plans)), None)
    if script is None:
        return dict(calls)
    ended = not reflected or (bool(made) and made[-1][0] == FINISH)
    twin = Twin(task, env, script, authored=not reflected, ended=ended)
    return {name: _with_twin(call, twin) for name, call in calls.items()}


def _with_twin(call: Call, twin: Twin) -> Call:
    notes = DemoNotes.of(call.inputs)
    if not notes.records:
        return call
    notes = replace(notes, redacted=twin.of(without_notes(call.fields)))
    return Call({**call.inputs, **notes.to_fields()}, call.outputs)


def redacted(
    task: Task, env: Environment, made: Sequence[tuple[str, Any]]
) -> tuple[str, list[dict[str, Any]]]:
    """The text of a task, and the steps of a model that worked on it, as anybody may read them.

    They are made up where the slots are known. Else of the text only the words are left that authors of tools
    and house rules wrote as well, and of arguments the names.

    Args:
        made: tools and arguments, with the call that ended it.
    """
    if not task.slots:
        text, public = normalize("NFC", task.query), public_words(env)
        masked = _PIECE.sub(lambda piece: piece[0] if (piece["word"] or "").lower() in public else "…", text)
        names = ([*given] if isinstance(given, Mapping) else [] for _, given in made)
        steps = [{"tool": tool, "arguments": each} for (tool, _), each in zip(made, names, strict=True)]
        return re.sub(r"…(?:\W+…)+", "…", masked), steps
    ended = bool(made) and made[-1][0] == FINISH
    fields = Twin(task, env, _as_made(task, made), authored=False, ended=ended).of(
        dict.fromkeys(("task", "trajectory", "tool", "arguments"))
    )
    assert fields is not None
    last = {name: fields[name] for name in ("tool", "arguments")}
    return fields["task"], [*fields["trajectory"], last][: len(made)]


def _as_made(task: Task, made: Sequence[tuple[str, Any]]) -> Transcript:
    """The run of a model, without its thoughts."""
    steps = tuple(
        TranscriptStep(tool, arguments if isinstance(arguments, Mapping) else {})
        for tool, arguments in made
        if tool != FINISH
    )
    said = made[-1][1] if made and made[-1][0] == FINISH and isinstance(made[-1][1], Mapping) else {}
    return Transcript(task.query, steps, str(said.get("answer", "")), status=str(said.get("status", "")))


class Twin:
    """Makes up the fields of one demonstration's predictors.

    Args:
        authored: whether an author wrote the calls, and no model made them.
        ended: whether the task was ended, and not left after the last call.
    """

    def __init__(
        self, task: Task, env: Environment, script: Transcript, *, authored: bool = True, ended: bool = True
    ) -> None:
        self._random = rng(0, "redaction", task.id)
        self._script = script
        self._shared_context = task.context.strip()
        kept = public_words(env) | _words(around(task.query, task.slots.values()))
        arguments = [{} if isinstance(step.arguments, str) else step.arguments for step in script.steps]
        values = [
            _values(env, step.tool, given) if authored else given
            for step, given in zip(script.steps, arguments, strict=True)
        ]
        written = [*task.slots.values(), script.final, *leaves(values)]
        self._private = frozenset().union(*map(_words, written)) - kept
        self._made: dict[str, str] = {}
        self._today = (task.now or env.world.manifest.now).date().isoformat()
        self._shift = timedelta(days=self._random.choice((-1, 1)) * self._random.randint(*_SHIFT))
        self._name = " ".join(_syllables(self._random).capitalize() for _ in range(2))
        self._task = self._text(task.query)
        self._steps = [
            {
                "thought": self._text(one.thought),
                "tool": one.tool,
                "arguments": self._arguments(given, hidden),
            }
            for one, given, hidden in zip(script.steps, arguments, values, strict=True)
        ]
        said = self._value(script.closing(env.kind.finish.arguments))
        self._closing = {"thought": script.closing_thought, "tool": FINISH, "arguments": said}
        self._ended, self._judged = ended, env.kind.judges_answers
        results = MadeUpResults(env, self._random, _syllables)
        required = task.answer.required if task.answer else ()
        answers = [(entity.type, self._text(entity.value)) for entity in required]
        self._results = results.of(self._steps, self._task, answers, script)

    def of(self, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        """The fields of a predictor made up; None if one of them is not an agent's."""
        built = {
            "task": self._task,
            "context": self._context(fields.get("context")),
            "plan": self._text(self._script.plan),
            "progress": "",  # a plan is made up after a failed step, which records may have caused
            "rules": "",
        }
        if "verdict" in fields:
            built |= self._verdict()
        elif "calls" in fields:
            built |= self._at_once("reasoning" in fields)
        elif "tool" in fields:
            built |= self._stepwise("thought" in fields)
        made = {name: built.get(name) for name in fields}
        if "calls" in fields:
            made["trajectory"] = built["trajectory"]
        return None if None in made.values() else made

    def _stepwise(self, thinks: bool) -> dict[str, Any]:
        """All calls one after another; the last one is the reply."""
        steps = [
            {**step, "observation": result} for step, result in zip(self._steps, self._results, strict=True)
        ]
        if not thinks:
            steps = [{name: value for name, value in step.items() if name != "thought"} for step in steps]
        last = self._closing
        if not self._ended and steps:
            last = {name: value for name, value in steps.pop().items() if name != "observation"}
        return {"trajectory": steps, **last}

    def _at_once(self, thinks: bool) -> dict[str, Any]:
        """All calls at once, and where answers are judged, the end after they have been seen."""
        calls = [{name: step[name] for name in ("tool", "arguments")} for step in self._steps]
        reasoning = self._text(self._script.reasoning)
        closing = {name: self._closing[name] for name in ("tool", "arguments")}
        if not (self._ended and self._judged):
            calls += [closing] if self._ended else []
            return {"reasoning": reasoning, "calls": calls, "trajectory": []}
        batch = {"calls": calls, "observations": self._results}
        seen = [{"reasoning": reasoning, **batch} if thinks else batch]
        return {"trajectory": seen, "reasoning": self._closing["thought"], "calls": [closing]}

    def _verdict(self) -> dict[str, Any]:
        """The opinion on the last call; its reason is left out, since it may speak of the persona."""
        last = self._steps[-1] if self._steps else {"tool": "", "arguments": {}}
        return {**last, "reason": "", "verdict": "Denied" if self._script.denied else "Allowed"}

    def _context(self, context: Any) -> str | None:
        """The clock, a made-up person, and the context that all tasks of an intent share."""
        found = _CONTEXT.match(str(context))
        if found is None:
            return None
        told = str(context).endswith(f"\n\n{self._shared_context}") and self._shared_context
        return f"{found[0]}{self._name}.{_NOTE}" + (f"\n\n{told}" if told else "")

    def _arguments(self, given: Mapping[str, Any], hidden: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with those replaced that are to be hidden."""
        return {
            self._text(name) if name in hidden else name: self._value(value) if name in hidden else value
            for name, value in given.items()
        }

    def _value(self, value: Any) -> Any:
        """A value that an author wrote with its words replaced; truth values stay."""
        if isinstance(value, Mapping):
            return {self._text(str(name)): self._value(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return type(value)(self._text(str(value)))
            except ValueError:
                return type(value)(self._random.randint(10, 99))
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        return text if _HANDLE.fullmatch(text) else _PIECE.sub(self._replaced, normalize("NFC", text))

    def _replaced(self, piece: re.Match[str]) -> str:
        if piece["day"]:
            return self._day(piece["day"])
        if piece["clock"]:
            return self._clock(piece["clock"])
        word = piece["word"]
        if word.lower() not in self._private:
            return word
        made = self._made.get(word.lower())
        if made is None:
            made = self._made[word.lower()] = _made_up(word.lower(), self._random)
        return made.upper() if word.isupper() else made.capitalize() if word[0].isupper() else made

    def _clock(self, text: str) -> str:
        """Another time of the day, written the same way."""
        made = self._made.get(text)
        if made is None:
            hour, minute, second = (self._random.randint(low, high) for low, high in _CLOCK)
            made = f"{'T' if text[0] == 'T' else ''}{hour:02}:{minute:02}:{second:02}"[: len(text)]
            self._made[text] = made
        return made

    def _day(self, text: str) -> str:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            return "0000-00-00"
        return text if text == self._today else (day + self._shift).isoformat()


def public_words(env: Environment) -> frozenset[str]:
    """Words that reveal nothing about a record; a number may be the id of one."""
    kind = env.kind
    texts = [tool.text for tool in kind.tools.values()]
    return _remembered(_CHARACTER.sub(" ", "\n".join([*texts, kind.house_rules, kind.finish.text])))


def _values(env: Environment, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call without its settings: optional numbers such as a limit, of no column's name."""
    tool = env.kind.tools.get(name)
    needed = {*tool.parameters.get("required", ())} if tool else {*arguments}
    columns = {column for table in env.kind.tables for column in table.columns}
    return {
        name: value
        for name, value in arguments.items()
        if name in needed | columns or not isinstance(value, int | float)
    }


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from map(str, value)
        yield from leaves(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield str(value)


def around(text: str, values: Iterable[str]) -> str:
    """A task's text with its slot values cut out, the longest first."""
    for value in sorted(values, key=len, reverse=True):
        if value:
            found = rf"(?<!{WORD}){regex.escape(normalize('NFC', value))}(?!{WORD})"
            text = regex.sub(found, " ", normalize("NFC", text), flags=regex.IGNORECASE)
    return str(_CHARACTER.sub(" ", text))


def _words(text: str) -> frozenset[str]:
    return frozenset(
        found["word"].lower() for found in _PIECE.finditer(normalize("NFC", text)) if found["word"]
    )


@lru_cache(4)  # the same texts of all tools come with every demonstration
def _remembered(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if not word.isdigit())


def _made_up(word: str, random: Random) -> str:
    """A word of the same kind: letters for letters, digits for digits."""
    if not word.isalpha():
        return "".join(random.choice("123456789") if c.isdigit() else random.choice(_ONSETS) for c in word)
    return _syllables(random)


def _syllables(random: Random) -> str:
    return "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(random.randint(2, 3)))
