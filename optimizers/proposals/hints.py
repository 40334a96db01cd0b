"""Written instructions against the faults that the best program makes; no model is asked."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing
from worksmith.tools.episode_result import UNREADABLE

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

OUTPUTS: Final = {"call": ("tool", "calls"), "plan": ("plan",), "verdict": ("verdict",), "any": ()}
"""The outputs of the predictor that a section of the file is about."""

_MOST = 3
"""Hints that a candidate has more than the best one."""


class Hint(NamedTuple):
    """An instruction, the signs that it is against, and the outputs of the predictor that it is for."""

    text: str
    against: tuple[str, ...]
    outputs: tuple[str, ...]


@cache
def hints() -> tuple[Hint, ...]:
    """All hints, in the order of the file."""
    text = files("worksmith.optimizers.proposals").joinpath("hints.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text).items()
    return tuple(
        Hint(said, tuple(signs.split()), OUTPUTS[part])
        for part, each in sections
        for signs, said in each.items()
    )


def signs(record: EpisodeRecord) -> set[str]:
    """Names for what went wrong: the kind of the fault, the status, and `call:` with statuses of calls."""
    found = {record.status, record.fault.kind if record.fault else "low_metric"}
    found |= {f"call:{call.status}" for call in record.calls}
    if any(ask.reading == UNREADABLE for ask in record.asks):
        found.add("invalid_reply")
    if len({(call.tool, repr(call.arguments)) for call in record.calls}) < len(record.calls):
        found.add("call:repeated")
    return found


def hinted(standing: Standing, checks: Checks) -> Iterator[Candidate]:
    """The best candidate with hints: the most frequent ones together, each of them alone, then those after.

    A hint that no predictor gives the outputs of is for the last one, then for the others.
    """
    counts = Counter(sign for record in standing.failures for sign in signs(record))
    free = [hint for hint in hints() if standing.predictor_with(hint.outputs) not in checks.pinned]
    weights = {hint: weight for hint in free if (weight := max(counts[sign] for sign in hint.against))}
    ranked = sorted(weights, key=lambda hint: -weights[hint])
    for start in range(0, len(ranked), _MOST):
        several = ranked[start : start + _MOST]
        for some in (several, *([each] for each in several)):
            for name in reversed(standing.predictors):
                yield _appended(standing, some, name)


def _appended(standing: Standing, some: Sequence[Hint], otherwise: str) -> Candidate:
    texts: dict[str, str] = {}
    for hint in some:
        name = standing.predictor_with(hint.outputs) or otherwise
        text = texts.get(name, standing.predictors[name].signature.instructions)
        if hint.text not in text:
            texts[name] = f"{text.rstrip()} {hint.text}"
    return standing.best.joined(Candidate(instructions=texts))
