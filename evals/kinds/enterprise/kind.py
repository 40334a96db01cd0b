"""The enterprise task kind. Its parts are imported when they are used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.task_kind import Quickstart, TaskKind

if TYPE_CHECKING:
    from evals.tasks.building import Made, Progress, SuiteBuilder


def _suites() -> SuiteBuilder[Any]:
    from evals.kinds.enterprise.suites import BUILDER

    return BUILDER


def _import_enterprisebench(source: Path, place: Path, progress: Progress) -> Made:
    from evals.kinds.enterprise.published.importing import import_enterprisebench

    return import_enterprisebench(source, place, progress)


ENTERPRISE = TaskKind(
    name="enterprise",
    suites=_suites,
    published="evals.kinds.enterprise.published",
    importers={"enterprisebench": _import_enterprisebench},
    quickstart=Quickstart(
        sentence="a twentieth of an enterprise with people, sources, access rules, search index",
        scale=0.05,
        tools={
            "mail": "enterprise_mail_system.read",
            "chats": "conversations.read",
            "tickets": "it_service_management.read_issue",
            "code": "github.read",
            "sales": "sales.read",
            "clients": "clients.read",
        },
    ),
)
