"""The office task kind. Its parts are imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.task_kind import KindReport, PublishedMistakes, TaskKind

if TYPE_CHECKING:
    from evals.records.run_card import LoadedRun
    from evals.scoring.baselines import Baseline
    from evals.suite import Suite
    from evals.tasks.building import Made, Progress, SuiteBuilder
    from evals.tasks.transcript import Transcript


def _suites() -> SuiteBuilder[Any]:
    from evals.kinds.office.suites import BUILDER

    return BUILDER


def _import_workbench(source: Path, place: Path, progress: Progress) -> Made:
    from evals.kinds.office.suites import import_workbench

    return import_workbench(source, place, progress)


def _baselines() -> Mapping[str, Baseline]:
    from evals.kinds.office.baselines import BASELINES

    return BASELINES


def _mistakes() -> PublishedMistakes:
    from evals.kinds.office.workbench.flags import MISTAKES

    return MISTAKES


def _open_predictions(suite: Suite, files: Sequence[Path]) -> list[LoadedRun]:
    from evals.kinds.office.workbench.runs import recorded_runs

    return recorded_runs(suite, files)


def _report() -> KindReport:
    from evals.kinds.office.workbench.tables import paper_grids

    return KindReport(paper=paper_grids)


def _transcripts(file: Path) -> Sequence[Transcript]:
    from evals.kinds.office.workbench.results import read_results

    return read_results(file)


OFFICE = TaskKind(
    name="office",
    suites=_suites,
    importers={"workbench": _import_workbench},
    baselines=_baselines,
    published="evals.kinds.office.workbench",
    report=_report,
    transcripts={".csv": _transcripts},
    mistakes=_mistakes,
    open_predictions=_open_predictions,
)
