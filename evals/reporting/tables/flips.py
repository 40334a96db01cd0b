"""Tasks on which two programs differ."""

from __future__ import annotations

from worksmith.evals.records.groups import by_task
from worksmith.evals.records.record import STRICT
from worksmith.evals.reporting.html.charts import FlippedTasks
from worksmith.evals.running.study import Row, Study

_MOST = 100
"""The most tasks of a table."""

_QUERY = 90
"""The most characters of a request."""


def flipped_tasks(study: Study) -> tuple[FlippedTasks, ...]:
    """For each candidate the tasks on which it and the program before it differ.

    The program before a compiled one is the same program uncompiled; that of any other is the first one.
    """
    found = (_flips(row, before) for row in study.ordered if (before := study.before(row)) is not None)
    return tuple(grid for grid in found if grid.rows)


def _flips(row: Row, before: Row) -> FlippedTasks:
    ours, theirs = (by_task(each.result.records, STRICT) for each in (row, before))
    scores = {
        str(task): (sum(theirs[task]) / len(theirs[task]), sum(ours[task]) / len(ours[task]))
        for task in ours
        if task in theirs
    }
    flipped = sorted((after < old, task, old, after) for task, (old, after) in scores.items() if after != old)
    lost = sum(is_loss for is_loss, *_ in flipped)
    texts = {record.task_id: record for record in row.result.records}
    rows = tuple(
        (_short(texts[task].query), task, texts[task].intent or "", f"{old:g}", f"{after:g}")
        for _, task, old, after in flipped[:_MOST]
    )
    cut = f"; the first {_MOST} are shown" if len(flipped) > _MOST else ""
    return FlippedTasks(
        f"From {before.arm.label} to {row.arm.label}",
        ("request", "task", "intent", before.arm.label, row.arm.label),
        rows,
        (f"Of {len(scores)} tasks, {len(flipped) - lost} gained and {lost} lost{cut}.",),
        requests=tuple(texts[task].query for _, task, *_ in flipped[:_MOST]),
    )


def _short(query: str) -> str:
    text = " ".join(query.split())
    return text if len(text) <= _QUERY else text[: _QUERY - 1] + "…"
