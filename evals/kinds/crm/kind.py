"""The CRM task kind. Its parts are imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.task_kind import KindReport, TaskKind

if TYPE_CHECKING:
    from evals.scoring.baselines import Baseline
    from evals.scoring.outcomes import GroundTruth
    from evals.scoring.scorer import Scorer
    from evals.tasks.building import Made, Progress, SuiteBuilder
    from evals.tasks.task import Task
    from tools.environment import Environment
    from tools.world import World


def _suites() -> SuiteBuilder[Any]:
    from evals.kinds.crm.suites import BUILDER

    return BUILDER


def _import_crmarena(source: Path, place: Path, progress: Progress) -> Made:
    from evals.kinds.crm.importing import import_crmarena

    return import_crmarena(source, place, progress)


def _scorer(env: Environment, ground_truth: GroundTruth) -> Scorer:
    from evals.kinds.crm.scorer import CrmScorer

    return CrmScorer(env, ground_truth)


def _baselines() -> Mapping[str, Baseline]:
    from evals.kinds.crm.baselines import BASELINES

    return BASELINES


def _facts(world: World, tasks: Sequence[Task], facts: dict[str, Any]) -> dict[str, Any]:
    from evals.kinds.crm.facts import tell

    return tell(world, tasks, facts)


def _report() -> KindReport:
    from evals.kinds.crm.report import REPORT

    return REPORT


def _states(text: str) -> frozenset[str]:
    from evals.kinds.crm.answers import named

    return named(text, "state")


CRM = TaskKind(
    name="crm",
    suites=_suites,
    importers={"crmarena": _import_crmarena},
    scorer=_scorer,
    baselines=_baselines,
    published_score="reward",
    further_scores=("supported",),
    field_of_work=lambda task: task.intent or "",
    closed_intents=True,
    report=_report,
    published="evals.kinds.crm.published",
    value_readers={"state": _states},
    facts=_facts,
    commands={
        "serve crm": "evals.kinds.crm.commands.serve:serve_crm",
        "org": "evals.kinds.crm.commands.org:app",
    },
)
