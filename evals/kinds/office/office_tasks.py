"""The office task kind. Its parts are imported when they are used."""

from __future__ import annotations

from worksmith.evals.task_kind import KindReport, TaskKind
from worksmith.tools.lazy import function_at, value_at

OFFICE = TaskKind(
    name="office",
    suites=value_at("worksmith.evals.kinds.office.suites:BUILDER"),
    importers={"workbench": function_at("worksmith.evals.kinds.office.suites:import_workbench")},
    baselines=value_at("worksmith.evals.kinds.office.baselines:BASELINES"),
    published="worksmith.evals.kinds.office.workbench",
    report=lambda: KindReport(paper=function_at("worksmith.evals.kinds.office.workbench.tables:paper_grids")),
    transcripts={".csv": function_at("worksmith.evals.kinds.office.workbench.runs:read_results")},
    mistakes=value_at("worksmith.evals.kinds.office.workbench.flags:MISTAKES"),
    open_predictions=function_at("worksmith.evals.kinds.office.workbench.runs:recorded_runs"),
)
