"""The charts of a study: programs before and after, the same by intent, and scores against costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.episodes import facet_names, field_value
from worksmith.evals.reporting.html.charts import Change, Changes
from worksmith.evals.reporting.html.plots import CostPoint, Plot, efficient
from worksmith.evals.reporting.tables.costs import dollars_an_episode
from worksmith.evals.reporting.tables.findings import before, leading, outcome_of
from worksmith.evals.running.study import Row, Study
from worksmith.evals.statistics import Interval
from worksmith.evals.table import points

MOST_PROGRAMS, MOST_PARTS = 8, 12
"""The most rows of the charts that everybody sees; tables have all."""

_COSTS: tuple[tuple[str, str, Callable[[Row], float | None]], ...] = (
    ("dollars", "dollars an episode", lambda row: dollars_an_episode(row.result, cached=False)),
    ("used tokens", "used tokens an episode", lambda row: row.summary.means.get("used_tokens")),
)


def shown_rows(study: Study, most: int) -> list[Row]:
    """The programs that are shown where there is no room for all: the leading one first of all."""
    first = [leading(study), before(study), study.rows[0]]
    by_score = sorted(study.ordered, key=_best_first)
    kept = list(dict.fromkeys(row.arm.label for row in (*first, *by_score) if row))[:most]
    return [row for row in study.ordered if row.arm.label in kept]


def _best_first(row: Row) -> tuple[bool, float]:
    value = _outcome(row).value
    return row.arm.baseline, math.inf if math.isnan(value) else -value


def program_changes(study: Study) -> Changes:
    """The outcome of each program; of a compiled one below that of the same program uncompiled."""
    compiled = {row.arm.label: (base, found) for row, base, found in study.compiled}
    rows = sorted(shown_rows(study, MOST_PROGRAMS), key=_best_first)
    # A program is drawn by itself only if no compiled one has it as the older score.
    drawn = {
        base.arm.label for row in rows if row.arm.label in compiled for base, _ in [compiled[row.arm.label]]
    }
    changes = []
    for row in rows:
        if row.arm.label in drawn or math.isnan(_outcome(row).value):
            continue
        base, found = compiled.get(row.arm.label, (None, None))
        changes.append(
            Change(
                row.arm.shown,
                _outcome(row),
                _outcome(base) if base else None,
                points(found) if found else "",
                {"arm": row.arm.label},
                row.arm.baseline,
            )
        )
    notes = ["A ring is the same program uncompiled."] if drawn else []
    notes += ["Lost episodes count as wrong."] if any(row.summary.errors for row in rows) else []
    notes += ["A grey dot is a baseline."] if any(each.faint for each in changes) else []
    left = len(study.rows) - len(rows)
    notes += [f"{left} more programs are in the table of all programs below."] if left else []
    return Changes("Outcome in %, with 95 % intervals", tuple(changes), (" ".join(notes),) if notes else ())


def part_changes(study: Study) -> Changes | None:
    """The outcome of the leading program by intent, else by another field; None if all are alike."""
    row, base = leading(study), before(study)
    records = row.result.records
    for name in ("intent", *facet_names(records), "domain"):
        of = partial(field_value, name=name)
        if len({of(record) for record in records} - {""}) > 1:
            break
    else:
        return None
    parts, old = (_parts(each, of) if each else {} for each in (row, base))
    changes = [
        Change(value, score, old.get(value), _tasks(score), {"arm": row.arm.label, name: value})
        for value, score in parts.items()
        if value and not math.isnan(score.value)
    ]
    changes.sort(key=_most_changed)
    programs = f"{base.arm.label} → {row.arm.label}" if base else row.arm.label
    left = len(changes) - MOST_PARTS
    notes = (f"{left} more are in the tables below.",) if left > 0 else ()
    return Changes(f"Outcome by {name}: {programs}, %", tuple(changes[:MOST_PARTS]), notes, across=name)


def front_plots(study: Study) -> list[Plot]:
    """A plot of the outcome against each cost that is known for all programs; baselines are on no front."""
    rows = [row for row in shown_rows(study, MOST_PARTS) if not math.isnan(_outcome(row).value)]
    plots = []
    for name, across, cost in _COSTS:
        found = [(row, value) for row in rows if (value := cost(row)) is not None]
        if len(found) == len(rows) and len(rows) > 1 and any(value for _, value in found):
            plots.append(_plot(name, across, found))
    return plots


def _plot(name: str, across: str, found: Sequence[tuple[Row, float]]) -> Plot:
    rivals = {row.arm.label: (cost, _outcome(row).value) for row, cost in found if not row.arm.baseline}
    best = efficient(rivals)
    return Plot(
        f"Outcome against {name}",
        f"The outcome of each program against its {across}. On the front: {', '.join(sorted(best))}.",
        across,
        tuple(
            CostPoint(row.arm.label, cost, _outcome(row), _style(row), row.arm.label in best)
            for row, cost in found
        ),
        ("On the front: no other program scores as much for less, or more for as much.",),
    )


def _style(row: Row) -> str:
    if row.arm.baseline:
        return "faint"
    return "before" if row.arm.optimizer == "none" else "after"


def _outcome(row: Row) -> Interval:
    return outcome_of(row.summary)


def _most_changed(change: Change) -> tuple[float, float, str]:
    """Where there is nothing to compare with, the worst come first."""
    value = change.after.value
    return -abs(value - change.before.value) if change.before else 0.0, value, change.label


def _tasks(score: Interval) -> str:
    return f"{score.n} task{'' if score.n == 1 else 's'}"


def _parts(row: Row, of: Callable[[EpisodeRecord], str]) -> dict[str, Interval]:
    groups = group_records(row.result.records, of)
    return {value: outcome_of(summarize(part, seed=row.result.seed)) for value, part in groups.items()}
