"""The task kind of user data. Its parts are imported at their first use."""

from __future__ import annotations

from worksmith.evals.task_kind import KindReport, TaskKind
from worksmith.tools.lazy import function_at

OWN_DATA = TaskKind(
    name="own_data",
    read_tasks=function_at("worksmith.evals.kinds.own_data.reading:read_own_tasks"),
    write_environment=function_at("worksmith.tools.kinds.own_data.new_project:write_environment"),
    open_project=function_at("worksmith.evals.kinds.own_data.project:open_project"),
    open_environment=function_at("worksmith.evals.kinds.own_data.project:project_environment"),
    draft_tasks=function_at("worksmith.evals.kinds.own_data.drafting.draft:draft_project"),
    scorer=function_at("worksmith.evals.kinds.own_data.scorer:OwnScorer"),
    facets={
        "intent": lambda task: task.intent or "",
        "persona": lambda task: task.persona.id if task.persona else "",
        "split": lambda task: task.split,
        "department": lambda task: task.persona.department if task.persona else "",
    },
    report=lambda: KindReport(breakdown=("intent", "persona")),
)
