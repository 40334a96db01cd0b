"""A simulated student with a known chance of a right reply to a prompt, and one that proposes texts.

The quality of a sentence is hidden: a number from 0 to 1 that is drawn by the sentence itself. A text is as
good as its sentences on average, without those that the program has as it is.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple, Self

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage

from benchmarks.quality.surfaces.worlds import Case, Surface
from worksmith.programs.prompting.render import as_fields
from worksmith.tools.seeding import digest, rng

UNSURE = "unsure"
"""A wrong reply."""

_SHARED = 0.75
"""How often a reply is right by a difficulty that the case has for every program, and not by chance alone."""

_CASE = re.compile(r"\bcase (\d+): ")
_OFFER = "\ntools.find_code("
_DESCRIBED = re.compile(r"find_code\(number: int\): (.*(?:\n  .*)*)")
_SENTENCE = re.compile(r"[^.!?\n]*[a-z][^.!?\n]*[.!?]?")
_FORM = re.compile(r"JSON|reply again")
_DRAFT = re.compile(r"Heed the \w+ before the \w+ and the \w+\.")
_MODULE = re.compile(r"Module ([\w.\[\]]+)\\?\n")
_NOUNS = (
    *("amount", "author", "border", "colour", "corner", "date", "ending", "folder", "heading", "index"),
    *("letter", "margin", "name", "number", "order", "page", "place", "prefix", "region", "source"),
)

Turns = Sequence[tuple[str, str]]
"""The messages of a prompt by role, the system's first."""


class Seen(NamedTuple):
    """What a prompt shows.

    Attributes:
        step: the field that is asked for.
        instruction, described: the quality, from 0 to 1, of the instruction and of the tool's description.
        likeness: of the nearest demonstration; 0 without any.
        good, poisoned: the number of such demonstrations.
    """

    step: str
    instruction: float
    described: float
    likeness: float
    good: int
    poisoned: int


class _Engine:
    """Answers; the same prompt each time differently, by the seed. Thread-safe."""

    version = "1"

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        texts = ["".join(part.text for part in each.parts_of(TextPart)) for each in request.messages]
        roles = [message.role for message in request.messages]
        said = [("system", str(request.system or "")), *zip(roles, texts, strict=True)]
        text = self.reply(said)
        used = Usage(sum(len(each) for _, each in said) // 4, len(text) // 4)
        return Response(None, request.model, Message.assistant(text), "stop", used)

    def reply(self, said: Turns) -> str:
        raise NotImplementedError

    def drawn(self, said: Turns, *key: str | int) -> Any:
        """Random numbers for a reply, others each time that the same is asked."""
        asked = digest(list(said))
        with self._lock:
            self._asked[asked] += 1
            return rng(self.seed, *key, asked, self._asked[asked])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Student(_Engine):
    """Solves cases.

    Attributes:
        own: the sentences of the program as it is.
        sure: whether it makes no mistake.
        chances: of the replies so far, without those that only pass on what was found.
        read: the sentences of instructions and descriptions so far.
    """

    def __init__(self, surface: Surface, known: Sequence[Case], seed: int) -> None:
        super().__init__(seed)
        self._surface, self._known = surface, known
        self.own, self.sure = frozenset[str](), False
        self.chances: list[float] = []
        self.read: set[str] = set()

    def meet(self, program: dspy.Module, example: dspy.Example) -> None:
        """Take the texts in the prompts of an example for those of the program as it is."""
        self.own = frozenset(self._perfect(program, example)[0].read)

    def true_mean(self, program: dspy.Module, fresh: Sequence[dspy.Example]) -> float:
        """The mean chance of doing an example, which is the product of its replies' chances."""
        found = []
        for example in fresh:
            sure, said = self._perfect(program, example)
            code = self._known[_numbers([("user", str(example))])[0]].code
            found.append(math.prod(sure.chances) if code in (said.get("code"), said.get("answer")) else 0.0)
        return mean(found)

    def _perfect(self, program: dspy.Module, example: dspy.Example) -> tuple[Student, dspy.Prediction]:
        sure = Student(self._surface, self._known, self.seed)
        sure.own, sure.sure = self.own, True
        with dspy.context(lm=simulated(sure), disable_history=True, trace=None):
            return sure, program(**example.inputs())

    def reply(self, said: Turns) -> str:
        asked = max(place for place, (role, text) in enumerate(said) if role == "user" and _CASE.search(text))
        case, last = self._known[_numbers(said[asked : asked + 1])[-1]], said[-1][1]
        *before, step = _outputs(said) or ["tool", "arguments"]
        if "tool" not in before:
            right = UNSURE not in last and self._right(step, case, said, asked)
            return _written({step: case.code if right else UNSURE}, said)
        if asked < len(said) - 1:
            ending = {"answer": case.code if case.code in last else UNSURE, "status": "answered"}
            call = {"tool": "finish", "arguments": ending}
        else:
            number = case.number if self._right(step, case, said, asked) else len(self._known)
            call = {"tool": "tools.find_code", "arguments": {"number": number}}
        return _written(dict.fromkeys(before, "Next.") | call, said)

    def _right(self, step: str, case: Case, said: Turns, asked: int) -> bool:
        chance = self._surface.chance(self._seen(step, case, said, asked))
        self.chances.append(chance)
        random, shared = self.drawn(said, step), rng(self.seed, "difficulty", step, case.number)
        return self.sure or (shared if random.random() < _SHARED else random).random() < chance

    def _seen(self, step: str, case: Case, said: Turns, asked: int) -> Seen:
        shown = [self._known[number] for number in _numbers(said[:asked])]
        described = _DESCRIBED.findall("\n".join(text for _, text in said))
        return Seen(
            step,
            self._quality(said[0][1].partition(_OFFER)[0]),
            self._quality("".join(described[-1:])),
            max((case.likeness(other) for other in shown), default=0.0),
            sum(not other.poisoned for other in shown),
            sum(other.poisoned for other in shown),
        )

    def _quality(self, text: str) -> float:
        sentences = {found.strip() for found in _SENTENCE.findall(text) if not _FORM.search(found)}
        self.read |= sentences
        new = sentences.difference(self.own)
        return mean(quality(self.seed, sentence) for sentence in new) if new else self._surface.own


class Proposer(_Engine):
    """Proposes the best of some sentences: of more, the more it is told.

    It is told something by a mistake in the prompt, and by an earlier proposal, the better that is.
    """

    def reply(self, said: Turns) -> str:
        told, random = "\n".join(text for _, text in said), self.drawn(said)
        earlier = max((quality(self.seed, each) for each in _DRAFT.findall(told)), default=0.0)
        drafts = [
            "Heed the {} before the {} and the {}.".format(*random.sample(_NOUNS, 3))
            for _ in range(1 + 2 * (UNSURE in told) + round(3 * earlier))
        ]
        best = max(drafts, key=lambda draft: quality(self.seed, draft))
        fields: dict[str, Any] = dict.fromkeys(_outputs(said), best)
        if "module_advice" in fields:
            fields["module_advice"] = dict.fromkeys(_MODULE.findall(told), best)
        return _written(fields, said) if fields else f"```\n{best}\n```"


def quality(seed: int, sentence: str) -> float:
    return rng(seed, "quality", sentence).random()


def simulated(engine: _Engine) -> dspy.LM:
    return dspy.LM(f"simulated/{type(engine).__name__.lower()}", engine=engine, cache=False, num_retries=0)


def _written(fields: Mapping[str, Any], said: Turns) -> str:
    """A reply in the form that is asked for."""
    if "[[ ## " not in said[0][1] or any("a JSON object" in text for _, text in said[1:]):
        return json.dumps(fields)
    return as_fields({name: v if isinstance(v, str) else json.dumps(v) for name, v in fields.items()})


def _outputs(said: Turns) -> list[str]:
    """The fields that are asked for."""
    listed = (
        said[0][1].partition("Your output fields are:")[2].partition("\n\n")[0].partition("\nAll inter")[0]
    )
    return re.findall(r"^\d+\. `(\w+)`", listed, re.MULTILINE)


def _numbers(said: Turns) -> list[int]:
    return [int(number) for role, text in said if role == "user" for number in _CASE.findall(text)]
