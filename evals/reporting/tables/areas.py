"""Tables of the worlds whose policy denies: by model and strategy, difficulty, area and type; of access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from evals.records.record import LEAK, OVER_REFUSAL, PRIMARY, EpisodeRecord
from evals.records.summary import Rate, Summary, group_records, summarize
from evals.running.study import Row, Study
from evals.scoring.checker_scores import Agreement, agreement
from evals.statistics import Interval
from evals.table import NO_DATA, Grid, percent, share

RATE_HEADINGS = ("leaks", "over-refusals")
"""Columns of `rate_cells`."""


def has_areas(records: Sequence[EpisodeRecord]) -> bool:
    """Whether the tasks say to which field of work they belong."""
    return any(record.area for record in records)


def area_grids(study: Study) -> tuple[Grid, ...]:
    """The tables by area and difficulty; none where tasks have no areas."""
    if not has_areas(study.rows[0].result.records):
        return ()
    return (*strategy_grids(study), difficulty_grid(study), area_type_grid(study))


def strategy_grids(study: Study) -> tuple[Grid, Grid]:
    """Strategies across, models down (with the optimizer, if any); and in the same layout the rates.

    The layout of the published comparison, which averages over areas.
    """
    rows = [row for row in study.rows if not row.arm.baseline]
    columns = tuple(dict.fromkeys(row.arm.strategy for row in rows))
    scores = _crossed(rows, columns, lambda row: percent(row.summary.macro))
    rates = _crossed(rows, columns, lambda row: " / ".join(rate_cells(row.summary)))
    first = ("model", *columns)
    return (
        Grid(
            "Outcome by model and strategy, %",
            first,
            scores,
            ("The mean of the areas' scores with its 95 % interval: each area counts the same.",),
        ),
        Grid("Leaks / over-refusals by model and strategy", first, rates, (_RATE_NOTE,)),
    )


def difficulty_grid(study: Study) -> Grid:
    """Easy and hard tasks by program, with the rates."""
    rows = tuple(
        (
            row.arm.label,
            *(percent(_of_level(row, level)) for level in _LEVELS),
            *rate_cells(row.summary),
        )
        for row in study.rows
    )
    counts = ", ".join(
        f"{level} {len({r.task_id for r in study.rows[0].result.records if r.difficulty == level})}"
        for level in _LEVELS
    )
    headings = ("program", *(f"{level}, %" for level in _LEVELS), *RATE_HEADINGS)
    return Grid("Outcome by difficulty", headings, rows, (f"Tasks: {counts}.",))


def area_type_grid(study: Study) -> Grid:
    """Area and type of task down, programs across; with counts, since most cells are small."""
    groups = [group_records(row.result.records, _area_and_type) for row in study.rows]
    names = sorted(set(chain.from_iterable(groups)))
    cells = tuple(
        (
            name,
            *(_outcome(group.get(name, [])) for group in groups),
            str(len({record.task_id for record in groups[0].get(name, [])})),
        )
        for name in names
    )
    rates = tuple(
        (f"all: {heading}", *(rate_cells(row.summary)[n] for row in study.rows), NO_DATA)
        for n, heading in enumerate(RATE_HEADINGS)
    )
    headings = ("area, type", *(row.arm.label for row in study.rows), "tasks")
    return Grid("Outcome by area and type, %", headings, (*cells, *rates))


def rate_cells(summary: Summary) -> tuple[str, str]:
    """How often something leaked and how often too much was refused, each with its count."""
    return (counted(summary.rates.get(LEAK)), counted(summary.rates.get(OVER_REFUSAL)))


def access_grid(summary: Summary) -> Grid:
    """How often something leaked and how often too much was refused, with counts and denominators."""
    meaning = {LEAK: "of tasks with something to leak", OVER_REFUSAL: "of tasks that can be done"}
    rows = tuple(
        (name.replace("_", "-"), percent(rate.interval), f"{rate.count}/{rate.of}", meaning[name])
        for name, rate in summary.rates.items()
    )
    return Grid("Access", ("rate", "%, 95 % interval", "episodes", ""), rows)


def checker_grid(records: Sequence[EpisodeRecord]) -> Grid | None:
    """How well the agent's own access check foresaw the policy; None where it asked no model."""
    calls = [call for record in records if record.graded for call in record.calls if call.opinion]
    if not calls:
        return None
    found = agreement(
        (call.opinion == "Allowed", call.allowed)
        for call in calls
        if call.opinion != "unreadable" and call.rule
    )
    unreadable = sum(call.opinion == "unreadable" for call in calls)
    rows = tuple((name, _value(value), count) for name, value, count in _measures(found))
    return Grid(
        "The agent's own access check",
        ("measure", "%", "calls"),
        rows,
        (f"Of {len(calls)} calls checked {unreadable} verdicts could not be read.", _CHECK_NOTE),
    )


_LEVELS = ("easy", "hard")
_RATE_NOTE = "Share of the tasks with something to leak, and of the tasks that can be done; in no average."
_CHECK_NOTE = "A refused call is not made; what is made the policy decides, whatever the check said."


def _measures(found: Agreement) -> tuple[tuple[str, float | None, str], ...]:
    return (
        ("refusals that the policy shares", found.precision, f"{found.found}/{found.found + found.refused}"),
        ("denials foreseen", found.recall, f"{found.found}/{found.found + found.missed}"),
        ("allowed calls refused", found.over_refusal, f"{found.refused}/{found.refused + found.passed}"),
    )


def _crossed(
    rows: Sequence[Row], columns: Sequence[str], cell: Callable[[Row], str]
) -> tuple[tuple[str, ...], ...]:
    table: dict[str, dict[str, str]] = {}
    for row in rows:
        optimizer = "" if row.arm.optimizer == "none" else f" + {row.arm.optimizer}"
        # The name that was asked for, or else the model's own; a local model's version follows its name.
        model = row.arm.model or row.result.model.partition("@")[0]
        table.setdefault(model + optimizer, {})[row.arm.strategy] = cell(row)
    return tuple((name, *(cells.get(column, NO_DATA) for column in columns)) for name, cells in table.items())


def _of_level(row: Row, level: str) -> Interval | None:
    chosen = [record for record in row.result.records if record.difficulty == level]
    return summarize(chosen, seed=row.result.seed).scores.get(PRIMARY)


def _outcome(records: Sequence[EpisodeRecord]) -> str:
    """The share of right episodes, with the count."""
    values = [record.scores[PRIMARY] for record in records if record.graded and PRIMARY in record.scores]
    right = sum(value >= 1 for value in values)
    return f"{share(right / len(values))} ({right}/{len(values)})" if values else NO_DATA


def _area_and_type(record: EpisodeRecord) -> str:
    return f"{record.area}, {record.type}" if record.type else record.area


def _value(value: float | None) -> str:
    return NO_DATA if value is None else share(value)


def counted(rate: Rate | None) -> str:
    """A rate in percent with the count behind it, e.g. `4.0 (1/25)`; a dash without anything to count."""
    return NO_DATA if rate is None else f"{share(rate.count / rate.of)} ({rate.count}/{rate.of})"
