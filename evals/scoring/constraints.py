"""Constraints: bounds for a program beside its score, such as `leak=0` or `used_tokens<=4000`.

A bound is on the mean of a score or cost (`worksmith.evals.records.record_numbers.COSTS`) over graded
episodes. In the outcome, episodes lost to the infrastructure count as wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worksmith.evals.records.record import PRIMARY, RATES, EpisodeRecord
from worksmith.evals.records.record_numbers import COSTS, NOT_ASKED
from worksmith.tools.errors import InputError
from worksmith.tools.numbers import number

_WRITTEN = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|>=|=)\s*(\S+)\s*")
_TOLERANCE = 1e-9
"""The rounding error that sums of floats may have."""


@dataclass(frozen=True)
class Constraint:
    """A bound on the mean of a score or of a cost.

    Attributes:
        metric: the score's or cost's name.
    """

    metric: str
    relation: Literal["<=", ">="]
    bound: float

    def __post_init__(self) -> None:
        if (bound := number(self.bound)) is None:
            raise InputError(f"no bound of a constraint: {self.bound!r}", where=self.metric)
        object.__setattr__(self, "bound", bound)

    @classmethod
    def parse(cls, text: str) -> Constraint:
        """The constraint in `leak=0`, `asr=0.02`, `over_refusal<=0.05` or `outcome>=0.5`.

        Raises:
            InputError: the text is not a constraint. Equality is for the bounds 0 and 1 only, and for rates
                of failures, where it means "at most".
        """
        found = _WRITTEN.fullmatch(text)
        bound = _number(found[3]) if found else None
        if found is None or bound is None:
            raise InputError(
                f"no constraint: {text!r}",
                where="--constraint",
                hint="write NAME<=NUMBER or NAME>=NUMBER, or leak=0",
            )
        if found[1] not in COSTS and not 0 <= bound <= 1:
            raise InputError(
                f"a mean score lies between 0 and 1: {text!r}",
                where="--constraint",
                hint=f"costs, which may be more, are {', '.join(COSTS)}",
            )
        if found[2] != "=":
            return cls(found[1], "<=" if found[2] == "<=" else ">=", bound)
        failures = found[1] in RATES
        if bound not in (0, 1) and not failures:
            raise InputError(
                f"a mean is never exactly {bound:g}: {text!r}", where="--constraint", hint="use <= or >="
            )
        return cls(found[1], "<=" if bound == 0 or failures else ">=", bound)

    def __str__(self) -> str:
        return f"{self.metric}{self.relation}{self.bound:g}"

    def of(self, record: EpisodeRecord) -> float | None:
        """The value of an episode; None without one.

        A lost episode counts 0 in the outcome, so that no program keeps a bound by losing failures; it has no
        other score and no cost. Uncounted tokens have no cost.
        """
        if not record.graded:
            return 0.0 if self.metric == PRIMARY else None
        cost = COSTS.get(self.metric)
        if cost is None:
            return record.scores.get(self.metric)
        return cost(record) if self.metric in NOT_ASKED or not record.uncounted else None

    def measured(self, records: Iterable[EpisodeRecord]) -> float | None:
        """The mean over the episodes with a value; None without any."""
        values = self._values(records)
        return math.fsum(values) / len(values) if values else None

    def met(self, records: Iterable[EpisodeRecord]) -> bool:
        """Whether the mean keeps the bound; true if no episode has a value."""
        value = self.measured(records)
        return value is None or self.within(value)

    def lost(self, records: Sequence[EpisodeRecord], owed: int) -> bool:
        """Whether the bound is broken for any scores of the next `owed` episodes, from 0 to 1."""
        values = self._values(records)
        if not values:
            return False
        best = 0.0 if self.relation == "<=" else math.inf if self.metric in COSTS else 1.0
        return not self.within((math.fsum(values) + (best * owed if owed else 0.0)) / (len(values) + owed))

    def within(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        off = value - self.bound if self.relation == "<=" else self.bound - value
        return off <= _TOLERANCE

    def _values(self, records: Iterable[EpisodeRecord]) -> list[float]:
        return [value for record in records if (value := self.of(record)) is not None]


def constraints(texts: Iterable[str]) -> tuple[Constraint, ...]:
    """Parse constraints, each once.

    Raises:
        InputError: see `Constraint.parse`.
    """
    return tuple(dict.fromkeys(Constraint.parse(text) for text in texts))


def broken(constraints: Iterable[Constraint], records: Sequence[EpisodeRecord]) -> tuple[str, ...]:
    """The constraints that a program's episodes break, each with the measured value."""
    return tuple(
        f"{constraint} (is {constraint.measured(records):.4g})"
        for constraint in constraints
        if not constraint.met(records)
    )


def lost(constraints: Iterable[Constraint], records: Sequence[EpisodeRecord], owed: int) -> str:
    """The first constraint that the next `owed` episodes cannot repair; empty without one."""
    return next((str(each) for each in constraints if each.lost(records, owed)), "")


def acceptable(constraints: Iterable[Constraint], scores: Mapping[str, float]) -> bool:
    """Whether an episode with these scores may be an example: alone it breaks no bound on a score."""
    return all(each.metric not in scores or each.within(scores[each.metric]) for each in constraints)


def check_measured(
    constraints: Iterable[Constraint], records: Sequence[EpisodeRecord], *, run: str = ""
) -> None:
    """Check that each constraint has a value in some graded episode.

    Args:
        run: the name of these episodes, for the message.

    Raises:
        InputError: no graded episode has a constraint's metric.
    """
    graded = [record for record in records if record.graded]
    for constraint in constraints:
        if graded and constraint.measured(graded) is None:
            if constraint.metric in COSTS:
                hint = "bound steps or seconds"
                message = f"nobody counted the {constraint.metric} of the program"
                raise InputError(message, where="--constraint", hint=hint)
            names = {name for record in graded for name in record.scores} | set(COSTS)
            raise InputError(
                f"no episode{run and f' of {run}'} has a score {constraint.metric!r}",
                where="--constraint",
                hint=f"they have {', '.join(sorted(names))}",
            )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
