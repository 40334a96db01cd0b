"""Tasks on which programs differ from the ones before them."""

from __future__ import annotations

from worksmith.evals.records.groups import by_task
from worksmith.evals.records.record import STRICT
from worksmith.evals.reporting.html.charts import FlippedTasks
from worksmith.evals.reporting.html.templates import short
from worksmith.evals.running.study import Study
from worksmith.evals.table import NO_DATA

_MOST = 100
"""The most tasks of a table."""

_QUERY = 90
"""The most characters of a request."""

_NAMED = 2
"""The most programs that a cell names."""


def flipped_tasks(study: Study) -> FlippedTasks | None:
    """The tasks that a program gained or lost against the one before it; None if all agree.

    The program before a compiled one is the same program uncompiled; that of any other is the first one.
    """
    turned: dict[str, tuple[list[str], list[str]]] = {}
    for row in study.ordered:
        if (before := study.before(row)) is None:
            continue
        ours, theirs = (by_task(each.result.records, STRICT) for each in (row, before))
        for task in ours.keys() & theirs.keys():
            lead = sum(ours[task]) / len(ours[task]) - sum(theirs[task]) / len(theirs[task])
            if lead:
                turned.setdefault(str(task), ([], []))[lead < 0].append(row.arm.label)
    if not turned:
        return None
    texts = {record.task_id: record for row in study.rows for record in row.result.records}
    shown = sorted(turned, key=lambda task: (-len(turned[task][1]), -len(turned[task][0]), task))[:_MOST]
    cut = f"The first {_MOST} of {len(turned)} tasks." if len(turned) > _MOST else ""
    return FlippedTasks(
        "Tasks that programs gained or lost",
        ("request", "task", "intent", "gained by", "lost by"),
        tuple(
            (
                short(" ".join(texts[task].query.split()), _QUERY),
                task,
                texts[task].intent or "",
                *map(_named, turned[task]),
            )
            for task in shown
        ),
        ("Against the same program uncompiled, else against the first one.", *([cut] if cut else [])),
        requests=tuple(texts[task].query for task in shown),
    )


def _named(programs: list[str]) -> str:
    return ", ".join(programs) or NO_DATA if len(programs) <= _NAMED else f"{len(programs)} programs"
