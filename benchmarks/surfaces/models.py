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
from collections.abc import Collection, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import dspy
from dspy.lm15 import Message, Response, TextPart, Usage

from benchmarks.surfaces.worlds import UNSURE, Case, Surface
from worksmith.programs.prompting.render import as_fields
from worksmith.tools.seeding import digest, rng

if TYPE_CHECKING:
    from dspy.lm15 import Request

_SHARED = 0.75
"""How often a reply is right by a difficulty that the case has for every program, and not by chance alone."""

_CASE = re.compile(r"\bcase (\d+): ")
_FIELD = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_DESCRIBED = re.compile(r"find_code\(number: int\): (.*(?:\n  .*)*)")
_SENTENCE = re.compile(r"[^.!?\n]*[a-z][^.!?\n]*[.!?]?")
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
        instruction, described: the quality of the instruction, and of the tool's description.
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
    """Replies to prompts; the same prompt may be answered differently each time, by the seed. Thread-safe."""

    version = "surfaces-1"

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        said = [("system", str(request.system or "")), *((m.role, _text(m)) for m in request.messages)]
        text = self.reply(said)
        used = Usage(sum(len(each) for _, each in said) // 4, len(text) // 4)
        return Response(None, request.model, Message.assistant(text), "stop", used)

    def reply(self, said: Turns) -> str:
        raise NotImplementedError

    def number(self, said: Turns) -> int:
        """How often this was asked before."""
        key = digest(list(said))
        with self._lock:
            self._asked[key] += 1
            return self._asked[key]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Student(_Engine):
    """Solves cases.

    Args:
        own: the sentences of the program as it is.
        sure: make no mistake.

    Attributes:
        chances: of the replies so far, without those that only pass on what was found.
        read: the sentences of instructions and descriptions so far.
    """

    def __init__(
        self, surface: Surface, known: Sequence[Case], seed: int, own: Collection[str] = (), *, sure: bool = False
    ) -> None:
        super().__init__(seed)
        self._surface, self._known, self._own, self._sure = surface, known, own, sure
        self.chances: list[float] = []
        self.read: set[str] = set()

    @classmethod
    def of(cls, surface: Surface, known: Sequence[Case], seed: int, program: dspy.Module, example: Any) -> Self:
        """The student of a program, whose sentences it reads in the prompts of an example."""
        reader = cls(surface, known, seed, sure=True)
        _run(program, example, reader)
        return cls(surface, known, seed, reader.read)

    def true_mean(self, program: dspy.Module, fresh: Sequence[dspy.Example]) -> float:
        """The mean chance of doing an example, which is the product of its replies' chances."""
        found = []
        for example in fresh:
            sure = type(self)(self._surface, self._known, self.seed, self._own, sure=True)
            _run(program, example, sure)
            found.append(math.prod(sure.chances))
        return mean(found)

    def reply(self, said: Turns) -> str:
        asked = max(place for place, (role, text) in enumerate(said) if role == "user" and _CASE.search(text))
        case = self._known[_numbers(said[asked : asked + 1])[-1]]
        step, last = _outputs(said)[0], said[-1][1]
        if step == "tool" and asked < len(said) - 1:
            ending = {"answer": case.code if case.code in last else UNSURE, "status": "answered"}
            return _written({"tool": "finish", "arguments": ending}, said)
        right = UNSURE not in last and self._right(step, case, said, asked)
        if step == "tool":
            number = case.number if right else len(self._known)
            return _written({"tool": "tools.find_code", "arguments": {"number": number}}, said)
        return _written({step: case.code if right else UNSURE}, said)

    def _right(self, step: str, case: Case, said: Turns, asked: int) -> bool:
        chance = self._surface.chance(self._seen(step, case, said, asked))
        self.chances.append(chance)
        random = rng(self.seed, "luck", step, case.number, self.number(said))
        shared = rng(self.seed, "difficulty", step, case.number).random()
        return self._sure or (shared if random.random() < _SHARED else random.random()) < chance

    def _seen(self, step: str, case: Case, said: Turns, asked: int) -> Seen:
        shown = [self._known[number] for number in _numbers(said[:asked])]
        described = _DESCRIBED.findall("\n".join(text for _, text in said))
        return Seen(
            step,
            self._quality(said[0][1].partition("bjective")[2]),
            self._quality(described[-1] if described else ""),
            max((case.likeness(other) for other in shown), default=0.0),
            sum(not other.poisoned for other in shown),
            sum(other.poisoned for other in shown),
        )

    def _quality(self, text: str) -> float:
        sentences = {found.strip() for found in _SENTENCE.findall(text)}
        self.read |= sentences
        new = sentences.difference(self._own)
        return mean(quality(self.seed, sentence) for sentence in new) if new else self._surface.own


class Proposer(_Engine):
    """Proposes the best of some sentences: of more, the more it is told.

    It is told something by a mistake in the prompt, and by an earlier proposal, the better that is.
    """

    def reply(self, said: Turns) -> str:
        told = "\n".join(text for _, text in said)
        earlier = max((quality(self.seed, each) for each in _DRAFT.findall(told)), default=0.0)
        random = rng(self.seed, "proposal", digest(list(said)), self.number(said))
        count = 1 + 2 * (UNSURE in told) + round(3 * earlier)
        drafts = ["Heed the {} before the {} and the {}.".format(*random.sample(_NOUNS, 3)) for _ in range(count)]
        best = max(drafts, key=lambda draft: quality(self.seed, draft))
        fields: dict[str, Any] = dict.fromkeys(_outputs(said), best)
        if not fields:
            return f"```\n{best}\n```"
        if "module_advice" in fields:
            fields["module_advice"] = dict.fromkeys(_MODULE.findall(told), best)
        return _written(fields, said)


def quality(seed: int, sentence: str) -> float:
    return rng(seed, "quality", sentence).random()


def simulated(engine: _Engine) -> dspy.LM:
    return dspy.LM(f"simulated/{type(engine).__name__.lower()}", engine=engine, cache=False, num_retries=0)


def _run(program: dspy.Module, example: dspy.Example, engine: Student) -> None:
    with dspy.context(lm=simulated(engine), disable_history=True, trace=None):
        program(**example.inputs())


def _written(fields: Mapping[str, Any], said: Turns) -> str:
    """A reply in the form that is asked for."""
    if any("a JSON object" in text for _, text in said[1:]):
        return json.dumps(fields)
    return as_fields({name: v if isinstance(v, str) else json.dumps(v) for name, v in fields.items()})


def _outputs(said: Turns) -> list[str]:
    """The fields that are asked for."""
    listed = said[0][1].partition("Your output fields are:")[2].partition("\nAll inter")[0]
    return _FIELD.findall(listed.partition("\n\n")[0])


def _numbers(said: Turns) -> list[int]:
    return [int(number) for role, text in said if role == "user" for number in _CASE.findall(text)]


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts_of(TextPart))
