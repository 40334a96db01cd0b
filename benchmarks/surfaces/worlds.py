"""The surfaces: what the chance of a right reply depends on, the programs, and their cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

import worksmith as ws
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from benchmarks.surfaces.models import Seen

UNSURE = "unsure"
"""The answer of a student that does not know."""

EACH, FRESH = 60, 100
"""Examples to learn from and to choose by each; those on which a program's true mean is computed."""

_INTENTS = 40
"""Kinds of cases in each part: some have one case, others two."""

_TOPICS, _SHARED, _OWN = 8, 4, 1
"""Topics; the words that a case has in common with others of its topic, and those of its own."""

_POISONED = 0.3
"""The share of cases that harm as a demonstration, though their answers are right."""

_CODES = 12


@dataclass(frozen=True)
class Case:
    """What is asked, with what no prompt says."""

    number: int
    intent: str
    words: tuple[str, ...]
    code: str
    poisoned: bool

    @property
    def text(self) -> str:
        return f"Which code has case {self.number}: {' '.join(self.words)}?"

    def likeness(self, other: Case) -> float:
        """The share of the common words of a topic that both have."""
        return min(1.0, len(set(self.words) & set(other.words)) / _SHARED)


def cases(seed: int) -> list[Case]:
    """Those to learn from, those to choose by and fresh ones, in this order; no two parts share an intent."""
    found = []
    for part, size in enumerate((EACH, EACH, FRESH)):
        for place in range(size):
            intent = f"{part}-{place % _INTENTS}"
            topic = rng(seed, "topic", intent).randrange(_TOPICS)
            random = rng(seed, "case", part, place)
            common = random.sample([f"word{topic}{letter}" for letter in "abcde"], _SHARED)
            own = [f"own{random.randrange(10_000)}" for _ in range(_OWN)]
            code = f"K{random.randrange(_CODES):02}"
            poisoned = random.random() < _POISONED
            found.append(Case(len(found), intent, (*common, *own), code, poisoned))
    return found


class World(NamedTuple):
    """A program with its examples. Suites have scorers; plain examples need the metric."""

    program: dspy.Module
    parts: Sequence[Sequence[dspy.Example]]
    metric: Callable[..., bool] | None


@dataclass(frozen=True)
class Surface:
    """What the chance of a right reply depends on.

    Attributes:
        chance: of a right reply to a prompt.
        own: the quality of the texts that the program has as it is.
        world: makes the program and its examples.
    """

    chance: Callable[[Seen], float]
    own: float
    world: Callable[[Sequence[Case]], World]


def _plain(steps: Mapping[str, str], known: Sequence[Case]) -> World:
    examples = [
        dspy.Example(request=case.text, code=case.code, intent=case.intent).with_inputs("request")
        for case in known
    ]
    return World(_Chain(steps), _parted(examples), _same_code)


def _one(known: Sequence[Case]) -> World:
    return _plain({"answer": "request -> code"}, known)


def _three(known: Sequence[Case]) -> World:
    return _plain(
        {"sort": "request -> kind", "weigh": "request, kind -> weight", "answer": "request, weight -> code"},
        known,
    )


class _Chain(dspy.Module):  # type: ignore[misc]
    """Predictors one after another; each gets the request and what the one before it found."""

    def __init__(self, steps: Mapping[str, str]) -> None:
        super().__init__()
        self.steps = list(steps)
        for name, fields in steps.items():
            setattr(self, name, dspy.Predict(dspy.Signature(fields, f"Do the step {name} of a case.")))

    def forward(self, request: str) -> dspy.Prediction:
        found: dict[str, Any] = {}
        for name in self.steps:
            found = dict(getattr(self, name)(request=request, **found))
        return dspy.Prediction(**found)


def _same_code(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
    return bool(example.code == prediction.code)


def _agent(known: Sequence[Case]) -> World:
    rows = [{"number": case.number, "code": case.code} for case in known]
    env = ws.Environment.from_tables({"cases": rows}, now="2026-01-05 09:00")

    @env.tool(writes=False)
    def find_code(ctx: ws.Context, number: int) -> str:
        """Give a code."""
        row = ctx["cases"].get(number)
        return row["code"] if row else "nothing"

    @env.tool(writes=False)
    def count_cases(ctx: ws.Context) -> int:
        """Count the cases that there are."""
        return len(ctx["cases"].find({}))

    lines = [
        {
            "id": f"case-{case.number}",
            "intent": case.intent,
            "query": case.text,
            "split": split,
            "plan": [{"tool": "find_code", "arguments": {"number": case.number}}],
            "answer": case.code,
        }
        for split, part in zip(("train", "dev", "test"), _parted(known), strict=True)
        for case in part
    ]
    suite = ws.Suite(env, lines)
    return World(ws.Agent("act", env, toolset="all"), (suite.train, suite.dev, suite.test), None)


def _parted(all_of_them: Sequence[Any]) -> list[Sequence[Any]]:
    return [all_of_them[:EACH], all_of_them[EACH : 2 * EACH], all_of_them[2 * EACH :]]


def _of_three(seen: Seen) -> float:
    if seen.step != "weight":
        return 0.95
    return 0.1 + 0.5 * seen.instruction + 0.35 * seen.likeness


SURFACES: Mapping[str, Surface] = {
    "instruction": Surface(lambda seen: 0.1 + 0.7 * seen.instruction + 0.1 * seen.likeness, 0.15, _one),
    "nearest": Surface(lambda seen: 0.3 + 0.6 * seen.likeness, 0.5, _one),
    "description": Surface(lambda seen: 0.1 + 0.6 * seen.described + 0.15 * seen.instruction, 0.2, _agent),
    "both": Surface(
        lambda seen: 0.1 + 0.8 * seen.instruction * (0.35 + 0.65 * seen.likeness), 0.35, _one
    ),
    "poisoned": Surface(
        lambda seen: 0.3 + 0.5 * min(1.0, seen.good / 3) - 0.15 * min(2, seen.poisoned), 0.5, _one
    ),
    "nothing": Surface(
        lambda seen: 0.5 - 0.2 * max(0.0, 0.5 - seen.instruction) - 0.05 * min(2, seen.poisoned), 0.5, _one
    ),
    "one_of_three": Surface(_of_three, 0.2, _three),
}
"""By name. Texts have a quality between 0 and 1, and so has the likeness of the nearest demonstration."""
