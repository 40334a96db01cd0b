"""Tables of faults: how often each kind came up, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

from evals.failure_modes.kinds import fault_kinds
from evals.records.record import PRIMARY, EpisodeRecord
from evals.records.summary import domain_of, intents_of
from evals.statistics import Interval, mean
from evals.table import NO_DATA, Grid, percent, share

Facet = Callable[[EpisodeRecord], str]


def _area_or_domain(record: EpisodeRecord) -> str:
    return record.area or domain_of(record)


FACETS: Mapping[str, Facet] = {
    "domain": _area_or_domain,
    "strategy": lambda record: record.strategy,
}
"""By what faults are broken down."""


def fault_grids(
    records: Sequence[EpisodeRecord], *, facets: Mapping[str, Facet] | None = None
) -> tuple[Grid, ...]:
    """How often each kind of fault came up, and the same by each facet; none where no fault is on record.

    Args:
        facets: names of tables and what they group by; default is by domain and, with several, by strategy.
    """
    graded = [record for record in records if record.graded]
    if not any(record.fault for record in graded):
        return ()
    kinds = _kinds(graded)
    grids = [_counts(graded, kinds)]
    for name, facet in (FACETS if facets is None else facets).items():
        values = sorted({facet(record) for record in graded})
        if len(values) > 1:
            grids.append(_matrix(name, facet, values, graded, kinds))
    return tuple(grids)


def kind_of(record: EpisodeRecord) -> str:
    """The kind of an episode's fault; empty for none."""
    return record.fault.kind if record.fault else ""


def _kinds(records: Sequence[EpisodeRecord]) -> list[str]:
    """The kinds there are: those that are known in their order, then others."""
    there = {record.fault.kind for record in records if record.fault}
    known = fault_kinds()
    return [*(name for name in known if name in there), *sorted(there - known.keys())]


def _title(kind: str) -> str:
    known = fault_kinds().get(kind)
    return known.title if known else kind


def _counts(graded: Sequence[EpisodeRecord], kinds: Sequence[str]) -> Grid:
    rows = tuple(
        (
            _title(kind),
            str(count),
            percent(_share(graded, kind)),
            _steps(graded, kind),
            _example(graded, kind),
        )
        for kind, count in ((kind, sum(kind_of(record) == kind for record in graded)) for kind in kinds)
    )
    wrong = sum(record.scores.get(PRIMARY, 0.0) < 1 for record in graded)
    judged = sum(record.fault is not None and record.fault.source == "judge" for record in graded)
    notes = [
        f"{wrong} of {len(graded)} graded episodes ({share(wrong / len(graded))} %) are not right. Each "
        "counts once, under what went wrong first, found by rules from its calls and the gold plan."
    ]
    if judged:
        notes.append(f"A judge named {judged} of them, which no rule explains.")
    headings = ("fault", "episodes", "% of graded, 95 % interval", "first wrong call", "for example")
    return Grid("What went wrong", headings, rows, tuple(notes))


def _share(graded: Sequence[EpisodeRecord], kind: str) -> Interval:
    clusters: dict[Hashable, list[float]] = {}
    for record in graded:
        clusters.setdefault(record.task_id, []).append(float(kind_of(record) == kind))
    return mean(clusters, intents_of(graded))


def _steps(graded: Sequence[EpisodeRecord], kind: str) -> str:
    """The most common number of the first wrong call, with the count; a dash where it is no call."""
    counts = Counter(record.fault.step for record in graded if record.fault and record.fault.kind == kind)
    named = sorted(((count, -step) for step, count in counts.items() if step is not None), reverse=True)
    return f"{-named[0][1]} ({named[0][0]}/{counts.total()})" if named else NO_DATA


def _example(graded: Sequence[EpisodeRecord], kind: str) -> str:
    return min(record.task_id for record in graded if kind_of(record) == kind)


def _matrix(
    name: str, facet: Facet, values: Sequence[str], graded: Sequence[EpisodeRecord], kinds: Sequence[str]
) -> Grid:
    counts = Counter((kind_of(record), facet(record)) for record in graded)
    of = Counter(facet(record) for record in graded)
    rows = [(_title(kind), *(str(counts[kind, value]) for value in values)) for kind in kinds]
    wrong = {value: sum(counts[kind, value] for kind in kinds) for value in values}
    rows.append(("all", *(f"{wrong[value]} of {of[value]}" for value in values)))
    return Grid(
        f"Faults by {name}, episodes",
        ("fault", *values),
        tuple(rows),
        ("Counts of episodes; the last line has how many are not right, of those that were graded.",),
    )
