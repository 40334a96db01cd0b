"""What reports on CRM questions show besides the tables of every kind."""

from __future__ import annotations

from evals.kinds.crm.by_type import figures, is_binary, metrics
from evals.kinds.crm.tables import task_type_grid, task_type_grids
from evals.task_kind import KindReport

REPORT = KindReport(
    breakdown=(),
    heat_maps=("intent",),
    comparison=task_type_grids,
    program=lambda program: (task_type_grid(program),),
    figures=figures,
    metrics=metrics,
    counted_attempts=is_binary,
    attempts_note="All task types but knowledge_qa.",
)
