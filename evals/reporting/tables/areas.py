"""Tables of the worlds whose policy denies: by model and strategy, difficulty, area and type; of access."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.record import (
    ASR,
    LEAK,
    OVER_REFUSAL,
    PARTIAL_UNSAID,
    PARTIAL_WRONGLY,
    PRIMARY,
    EpisodeRecord,
)
from worksmith.evals.records.summary import Rate, Summary
from worksmith.evals.running.study import Row, Study
from worksmith.evals.scoring.checker_scores import CheckerAgreement, agreement
from worksmith.evals.table import NO_DATA, Grid, percent, share

HEADINGS = {
    LEAK: "leaks",
    OVER_REFUSAL: "over-refusals",
    PARTIAL_UNSAID: "partial, not said",
    PARTIAL_WRONGLY: "partial, said wrongly",
    ASR: "asr",
}

_ACCESS = (LEAK, OVER_REFUSAL)
"""The rates of the published comparison."""

Rates = tuple[tuple[str, Callable[[Summary], str]], ...]


def rate_columns(names: Iterable[str]) -> Rates:
    """Columns of rates, each with its count."""
    return tuple(
        (HEADINGS[name], lambda summary, name=name: counted(summary.rates.get(name))) for name in names
    )


def rates_of(summaries: Iterable[Summary]) -> Rates:
    """The columns of the rates that any of the summaries has; of leaks and refusals always both."""
    there = {name for summary in summaries for name in summary.rates}
    return rate_columns(name for name in HEADINGS if name in there or (there and name in _ACCESS))


def has_areas(records: Sequence[EpisodeRecord]) -> bool:
    return any(record.facet("area") for record in records)


def area_grids(study: Study) -> tuple[Grid, ...]:
    """The tables by area; empty if tasks have no areas."""
    if not has_areas(study.rows[0].result.records):
        return ()
    return (*strategy_grids(study), area_type_grid(study))


def strategy_grids(study: Study) -> tuple[Grid, Grid]:
    """Strategies across, models down (with the optimizer, if any); and in the same layout the rates.

    The layout of the published comparison, which averages over areas.
    """
    rows = [row for row in study.rows if not row.arm.baseline]
    cells: dict[str, dict[str, Row]] = {}
    for row in rows:
        optimizer = "" if row.arm.optimizer == "none" else f" + {row.arm.optimizer}"
        # The requested name, else the model's own; a local model's version follows its name.
        model = row.arm.model or row.result.model.partition("@")[0]
        planner = f", planner {row.arm.planner}" if row.arm.planner else ""
        cells.setdefault(model + optimizer + planner, {})[row.arm.strategy] = row

    def crossed(title: str, note: str, cell: Callable[[Row], str]) -> Grid:
        return Grid.of(
            title,
            cells,
            ("model", str),
            *(
                (strategy, lambda name, s=strategy: cell(cells[name][s]) if s in cells[name] else NO_DATA)
                for strategy in dict.fromkeys(row.arm.strategy for row in rows)
            ),
            notes=(note,),
        )

    return (
        crossed(
            "Outcome by model and strategy, %",
            "The mean of the areas' scores with its 95 % interval: each area counts the same.",
            lambda row: percent(row.summary.macro),
        ),
        crossed(
            "Leaks / over-refusals by model and strategy",
            "Share of the tasks with something to leak, and of the tasks that can be done; in no average.",
            lambda row: " / ".join(cell(row.summary) for _, cell in rate_columns(_ACCESS)),
        ),
    )


def area_type_grid(study: Study) -> Grid:
    """Area and type of task down, programs across; with counts, since most cells are small."""
    groups = [group_records(row.result.records, _area_and_type) for row in study.rows]
    cells = tuple(
        (
            name,
            *(_outcome(group.get(name, [])) for group in groups),
            str(len({record.task_id for record in groups[0].get(name, [])})),
        )
        for name in sorted(set(chain.from_iterable(groups)))
    )
    rates = tuple(
        (f"all: {heading}", *(cell(row.summary) for row in study.rows), NO_DATA)
        for heading, cell in rate_columns(_ACCESS)
    )
    headings = ("area, type", *(row.arm.label for row in study.rows), "tasks")
    return Grid("Outcome by area and type, %", headings, (*cells, *rates))


def access_grid(rows: Sequence[Row]) -> Grid:
    """The rates of failures of access of each program."""
    columns = rates_of(row.summary for row in rows)
    return Grid.of(
        "Failures of access, % and episodes",
        rows,
        ("program", lambda row: row.arm.shown),
        *((heading, lambda row, cell=cell: cell(row.summary)) for heading, cell in columns),
    )


def checker_grid(records: Sequence[EpisodeRecord]) -> Grid | None:
    """The agent's access check against the policy; None if it asked no model."""
    calls = [call for record in records if record.graded for call in record.calls if call.opinion]
    if not calls:
        return None
    readable = [call for call in calls if call.opinion != "unreadable"]
    found = agreement((call.opinion == "Allowed", call.allowed) for call in readable if call.rule)
    return Grid(
        "The agent's own access check",
        ("measure", "%", "calls"),
        tuple((name, share(math.nan if value is None else value), n) for name, value, n in _measures(found)),
        (
            f"Of {len(calls)} calls checked {len(calls) - len(readable)} verdicts could not be read.",
            "A refused call is not made; what is made the policy decides, whatever the check said.",
        ),
    )


def counted(rate: Rate | None) -> str:
    """A rate in percent with the count behind it, e.g. `4.0 (1/25)`; a dash without anything to count."""
    return NO_DATA if rate is None else f"{share(rate.count / rate.of)} ({rate.count}/{rate.of})"


def _measures(found: CheckerAgreement) -> tuple[tuple[str, float | None, str], ...]:
    return (
        ("refusals that the policy shares", found.precision, f"{found.found}/{found.found + found.refused}"),
        ("denials foreseen", found.recall, f"{found.found}/{found.found + found.missed}"),
        ("allowed calls refused", found.over_refusal, f"{found.refused}/{found.refused + found.passed}"),
    )


def _outcome(records: Sequence[EpisodeRecord]) -> str:
    values = [record.scores[PRIMARY] for record in records if record.graded and PRIMARY in record.scores]
    right = sum(value >= 1 for value in values)
    return f"{share(right / len(values))} ({right}/{len(values)})" if values else NO_DATA


def _area_and_type(record: EpisodeRecord) -> str:
    return ", ".join(filter(None, (record.facet("area"), record.facet("type"))))
