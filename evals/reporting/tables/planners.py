"""The table of models that plan for an executor, one row each, as papers on trained planners have it."""

from __future__ import annotations

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.running.study import Row, Study
from worksmith.evals.table import Grid, percent


def planner_grids(study: Study) -> tuple[Grid, ...]:
    """One figure for each model that plans; strategies without such a model are beside them.

    None if each program has one model.
    """
    if not any(row.arm.planner for row in study.rows):
        return ()
    rows = [row for row in study.rows if not row.arm.baseline and not row.arm.without]
    executors = dict.fromkeys(map(_executor, rows))
    compiled = any(row.arm.optimizer != "none" for row in rows)
    return (
        Grid.of(
            f"Outcome by planner, {next(iter(executors))} executes" if len(executors) == 1 else "By planner",
            rows,
            ("planner", lambda row: row.arm.planner or _executor(row)),
            ("strategy", lambda row: row.arm.strategy),
            compiled and ("optimizer", lambda row: row.arm.optimizer),
            len(executors) > 1 and ("executor", _executor),
            ("outcome, %", lambda row: percent(row.summary.scores.get(PRIMARY))),
            notes=("The planner makes the plan and its revisions; the executor makes every call.",),
        ),
    )


def _executor(row: Row) -> str:
    """The requested name, else the model's own; a local model's version follows its name."""
    return row.arm.model or row.result.model.partition("@")[0]
