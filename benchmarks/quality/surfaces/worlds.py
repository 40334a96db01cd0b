"""The surfaces: what the chance of a right reply depends on, with programs and cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import dspy

import worksmith as ws
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from benchmarks.quality.surfaces.models import Seen

EACH, FRESH = 60, 100
"""Examples to learn from and to choose by each; those on which a program's true mean is computed."""

_INTENTS = 40
"""Kinds of cases in each part of the examples."""

_TOPICS = ("bar", "cel", "dom", "fin", "gul", "hev", "jor", "kim")
"""Beginnings of the words of cases; each kind belongs to one."""

_POISONED = 0.3
"""The share of cases that harm as a demonstration, though their answers are right."""


class Case(NamedTuple):
    number: int
    intent: str
    words: frozenset[str]
    code: str
    poisoned: bool

    @property
    def text(self) -> str:
        return f"Which code has case {self.number}: {' '.join(sorted(self.words))}?"

    def likeness(self, other: Case) -> float:
        """From 0 to 1: cases of one topic have three or four words in common, others none."""
        return len(self.words & other.words) / 4


def cases(seed: int) -> list[Case]:
    """Those to learn from, those to choose by and fresh ones, in this order; no two parts share an intent."""
    found: list[Case] = []
    for part, size in enumerate((EACH, EACH, FRESH)):
        for place in range(size):
            intent, random = f"{part}-{place % _INTENTS}", rng(seed, "case", part, place)
            topic = rng(seed, "topic", intent).choice(_TOPICS)
            words = random.sample([f"{topic}{ending}" for ending in ("ado", "elo", "imo", "ono", "uro")], 4)
            code, poisoned = f"K{random.randrange(12):02}", random.random() < _POISONED
            found.append(Case(len(found), intent, frozenset(words), code, poisoned))
    return found


World: TypeAlias = "tuple[dspy.Module, Sequence[Sequence[dspy.Example]], Callable[..., bool] | None]"
"""A program, its examples to learn from, to choose by and fresh, and a metric; a suite's have scorers."""


class Chain(dspy.Module):  # type: ignore[misc]
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


def _chain(steps: Mapping[str, str], known: Sequence[Case]) -> World:
    fields = [{"request": case.text, "code": case.code, "intent": case.intent} for case in known]
    parts = _parted([dspy.Example(**each).with_inputs("request") for each in fields])
    return Chain(steps), parts, _same


def _same(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
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

    def line(case: Case, split: str) -> dict[str, Any]:
        plan = [{"tool": "find_code", "arguments": {"number": case.number}}]
        asked = {"id": f"case-{case.number}", "intent": case.intent, "query": case.text, "split": split}
        return {**asked, "plan": plan, "answer": case.code}

    parts = zip(("train", "dev", "test"), _parted(known), strict=True)
    suite = ws.Suite(env, [line(case, split) for split, part in parts for case in part])
    return ws.Agent("act", env, toolset="all"), (suite.train, suite.dev, suite.test), None


def _parted(every: Sequence[Any]) -> list[Sequence[Any]]:
    return [every[:EACH], every[EACH : 2 * EACH], every[2 * EACH :]]


class Surface(NamedTuple):
    """What the chance of a right reply depends on.

    Attributes:
        own: the quality of the texts that the program has as it is, see `Seen`.
        calls: of the model for an example.
    """

    chance: Callable[[Seen], float]
    own: float
    world: Callable[[Sequence[Case]], World] = partial(_chain, {"answer": "request -> code"})
    calls: int = 1


_THREE = {"sort": "request -> kind", "weigh": "request, kind -> weight", "answer": "request, weight -> code"}


def _of_three(seen: Seen) -> float:
    return 0.1 + 0.5 * seen.instruction + 0.35 * seen.likeness if seen.step == "weight" else 0.95


SURFACES: Mapping[str, Surface] = {
    "instruction": Surface(lambda seen: 0.1 + 0.7 * seen.instruction + 0.1 * seen.likeness, 0.15),
    "nearest": Surface(lambda seen: 0.3 + 0.6 * seen.likeness, 0.5),
    "description": Surface(lambda seen: 0.1 + 0.6 * seen.described + 0.15 * seen.instruction, 0.2, _agent, 2),
    "both": Surface(lambda seen: 0.1 + 0.8 * seen.instruction * (0.35 + 0.65 * seen.likeness), 0.35),
    "poisoned": Surface(lambda seen: 0.3 + 0.5 * min(1, seen.good / 3) - 0.15 * min(2, seen.poisoned), 0.5),
    "nothing": Surface(
        lambda seen: 0.5 - 0.2 * max(0, 0.5 - seen.instruction) - 0.05 * min(2, seen.poisoned), 0.5
    ),
    "one_of_three": Surface(_of_three, 0.2, partial(_chain, _THREE), 3),
}
