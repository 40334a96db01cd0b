"""Tables of failure modes: counts of each, by domain and program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.records.groups import domain_of, grouped, intents_of
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.statistics import Interval, mean
from worksmith.evals.table import NO_DATA, Grid, percent, share

Facet = Callable[[EpisodeRecord], str]

FACETS: Mapping[str, Facet] = {
    "domain": lambda record: record.facet("area") or domain_of(record),
    "strategy": lambda record: record.strategy,
}
"""The default breakdowns, by name."""


def failure_mode_grids(
    records: Sequence[EpisodeRecord], *, facets: Mapping[str, Facet] | None = None
) -> tuple[Grid, ...]:
    """The count of each failure mode, and the same by each facet; empty without faults.

    Args:
        facets: groupings by name of table; one with a single value has no table.
    """
    graded = [record for record in records if record.graded]
    there = {record.fault.kind for record in graded if record.fault}
    if not there:
        return ()
    known = failure_modes()
    kinds = [*(name for name in known if name in there), *sorted(there - known.keys())]
    grids = [_counts(graded, kinds)]
    for name, facet in (FACETS if facets is None else facets).items():
        values = sorted({facet(record) for record in graded})
        if len(values) > 1:
            grids.append(_matrix(name, facet, values, graded, kinds))
    return tuple(grids)


def title_of(kind: str) -> str:
    known = failure_modes().get(kind)
    return known.title if known else kind


def _kind(record: EpisodeRecord) -> str:
    return record.fault.kind if record.fault else ""


def _counts(graded: Sequence[EpisodeRecord], kinds: Sequence[str]) -> Grid:
    wrong = sum(record.scores.get(PRIMARY, 0.0) < 1 for record in graded)
    judged = sum(record.fault is not None and record.fault.source == "judge" for record in graded)
    notes = [
        f"{wrong} of {len(graded)} graded episodes ({share(wrong / len(graded))} %) are not right. Each "
        "counts once, under what went wrong first, found by rules from its calls and the gold plan."
    ]
    if judged:
        notes.append(f"A judge named {judged} of them, which no rule explains.")
    counts = Counter(map(_kind, graded))
    return Grid.of(
        "What went wrong",
        kinds,
        ("fault", title_of),
        ("episodes", lambda kind: str(counts[kind])),
        ("% of graded, 95 % interval", lambda kind: percent(_share(graded, kind))),
        ("first wrong call", partial(_steps, graded)),
        ("for example", lambda kind: min(r.task_id for r in graded if _kind(r) == kind)),
        notes=tuple(notes),
    )


def _share(graded: Sequence[EpisodeRecord], kind: str) -> Interval:
    found: dict[Hashable, list[float]] = grouped((r.task_id, float(_kind(r) == kind)) for r in graded)
    return mean(found, intents_of(graded))


def _steps(graded: Sequence[EpisodeRecord], kind: str) -> str:
    """The most common number of the first wrong call, with the count; a dash if it is not a call."""
    counts = Counter(record.fault.step for record in graded if record.fault and record.fault.kind == kind)
    named = sorted(((count, -step) for step, count in counts.items() if step is not None), reverse=True)
    return f"{-named[0][1]} ({named[0][0]}/{counts.total()})" if named else NO_DATA


def _matrix(
    name: str, facet: Facet, values: Sequence[str], graded: Sequence[EpisodeRecord], kinds: Sequence[str]
) -> Grid:
    counts = Counter((_kind(record), facet(record)) for record in graded)
    of = Counter(map(facet, graded))
    rows = [(title_of(kind), *(str(counts[kind, value]) for value in values)) for kind in kinds]
    wrong = {value: sum(counts[kind, value] for kind in kinds) for value in values}
    rows.append(("all", *(f"{wrong[value]} of {of[value]}" for value in values)))
    return Grid(
        f"Faults by {name}, episodes",
        ("fault", *values),
        tuple(rows),
        ("Counts of episodes; the last line has how many are not right, of those that were graded.",),
    )
