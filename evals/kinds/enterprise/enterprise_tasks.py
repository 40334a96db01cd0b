"""The enterprise task kind. Its parts are imported when they are used."""

from __future__ import annotations

from worksmith.evals.task_kind import KindReport, Quickstart, TaskKind
from worksmith.tools.lazy import function_at, value_at

ENTERPRISE = TaskKind(
    name="enterprise",
    suites=value_at("worksmith.evals.kinds.enterprise.suites:BUILDER"),
    published="worksmith.evals.kinds.enterprise.published",
    published_runs=function_at("worksmith.evals.kinds.enterprise.published.runs:read_runs"),
    report=lambda: KindReport(
        paper=function_at("worksmith.evals.kinds.enterprise.published.tables:paper_grids")
    ),
    importers={
        "enterprisebench": function_at(
            "worksmith.evals.kinds.enterprise.published.importing:import_enterprisebench"
        )
    },
    quickstart=Quickstart(
        sentence="a small enterprise with people, sources, access rules, search index",
        options={"scale": 0.02, "train": 120},
        tools={
            "mail": "enterprise_mail_system.read",
            "chats": "conversations.read",
            "tickets": "it_service_management.read_issue",
            "code": "github.read",
            "sales": "sales.read",
            "clients": "clients.read",
        },
        where=("difficulty=easy",),
    ),
)
