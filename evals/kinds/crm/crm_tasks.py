"""The CRM task kind. Its parts are imported when they are used."""

from __future__ import annotations

from worksmith.evals.task_kind import TaskKind
from worksmith.tools.lazy import function_at, value_at


def _states(text: str) -> frozenset[str]:
    from worksmith.evals.kinds.crm.answers import named

    return named(text, "state")


CRM = TaskKind(
    name="crm",
    suites=value_at("worksmith.evals.kinds.crm.suites:BUILDER"),
    importers={"crmarena": function_at("worksmith.evals.kinds.crm.importing:import_crmarena")},
    record_files=("crmarena",),
    scorer=function_at("worksmith.evals.kinds.crm.scorer:CrmScorer"),
    baselines=value_at("worksmith.evals.kinds.crm.baselines:BASELINES"),
    published_score="reward",
    further_scores=("supported",),
    field_of_work=lambda task: task.intent or "",
    closed_intents=True,
    report=value_at("worksmith.evals.kinds.crm.tables:REPORT"),
    published="worksmith.evals.kinds.crm.published",
    value_readers={"state": _states},
    facts=function_at("worksmith.evals.kinds.crm.facts:tell"),
    commands={
        "serve crm": "worksmith.evals.kinds.crm.commands.serve:serve_crm",
        "org": "worksmith.evals.kinds.crm.commands.org:app",
    },
)
