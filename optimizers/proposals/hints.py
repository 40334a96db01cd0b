"""Written instructions against the faults that the best program makes; no model is asked."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing, fresh, predictor_with
from worksmith.tools.episode_result import UNREADABLE

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

_MOST = 3
"""Hints that a candidate appends."""


@dataclass(frozen=True)
class Hint:
    """A written instruction.

    Attributes:
        against: the signs of an episode that it is for, see `signs`.
        text: one or two sentences.
        outputs: it is for the predictor that gives one of these; without any, for each predictor in turn.
    """

    against: tuple[str, ...]
    text: str
    outputs: tuple[str, ...] = ()


@cache
def hints() -> tuple[Hint, ...]:
    """All hints, in the order of the file."""
    text = files("worksmith.optimizers.proposals").joinpath("hints.toml").read_text(encoding="utf-8")
    return tuple(
        Hint(**{name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()})
        for entry in tomllib.loads(text)["hint"]
    )


def signs(record: EpisodeRecord) -> set[str]:
    """Names for what went wrong in an episode: the kind of its fault, its status, statuses of its calls."""
    found = {record.fault.kind if record.fault else "low_metric"}
    if record.status != "finished":
        found.add(record.status)
    if any(ask.reading == UNREADABLE for ask in record.asks):
        found.add("invalid_reply")
    calls = [(call.tool, repr(call.arguments)) for call in record.calls]
    if len(set(calls)) < len(calls):
        found.add("repeated call")
    return found | {f"call {call.status}" for call in record.calls if call.status != "ok"}


class Hints:
    """Appends the hints against the most frequent faults to the instructions of the best program."""

    name = "hints"
    adaptive = True

    def __init__(self, checks: Checks) -> None:
        self._checks = checks

    def max_calls(self, count: int) -> int:
        return 0

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        counts = Counter(sign for record in standing.failures for sign in signs(record))
        weights = {hint: max(counts[sign] for sign in hint.against) for hint in hints()}
        ranked = sorted((hint for hint in weights if weights[hint]), key=lambda hint: -weights[hint])
        return fresh(self._candidates(standing, ranked), standing, count, self._checks)

    def _candidates(self, standing: Standing, ranked: Sequence[Hint]) -> Iterator[Candidate]:
        """First the most frequent ones together, then each of them alone, then those after them."""
        names = [name for name in standing.own_instructions if name not in self._checks.pinned]
        for start in range(0, len(ranked), _MOST):
            several = ranked[start : start + _MOST]
            for some in (several, *([each] for each in several)):
                for turn in range(len(names)):
                    yield self._appended(standing, some, names, turn)

    def _appended(
        self, standing: Standing, some: Sequence[Hint], names: Sequence[str], turn: int
    ) -> Candidate:
        """The best candidate with hints; a predictor that nobody asks for is the last one, then others."""
        texts: dict[str, str] = {}
        for hint in some:
            own = predictor_with(standing.program, hint.outputs) if hint.outputs else None
            name = own if own in names else names[-1 - turn]
            text = texts.get(name, standing.instructions(name))
            if hint.text not in text:
                texts[name] = f"{text.rstrip()} {hint.text}"
        return standing.best.joined(Candidate(instructions=texts))
