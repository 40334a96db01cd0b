"""Exports of training data: the public functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.exports.training.documents import check_documents
from worksmith.exports.training.held_back import HeldBack
from worksmith.exports.training.job import Job
from worksmith.exports.training.result import DataForecast, TrainingData
from worksmith.exports.training.rows import imitation_rows, preference_rows
from worksmith.exports.training.sources import open_sources
from worksmith.jobs.settings.exports import DpoSettings, SftSettings

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import TrainingDataSettings


def sft(
    source: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    progress: Progress = SILENT,
    **settings: Any,
) -> TrainingData:
    """Write successful trajectories as data for supervised fine-tuning.

    Args:
        source: suites, trace banks and runs, see `worksmith export sft --help`.
        out: the file of rows; the card lies beside it.
        settings: the options of the command by name.

    Returns:
        The files and their card.

    Raises:
        InputError: a source, a setting or a file is wrong, or a task that is held back would be inside.
    """
    return write(SftSettings(source=_names(source), out=Path(out), **settings), progress=progress)


def dpo(
    source: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    progress: Progress = SILENT,
    **settings: Any,
) -> TrainingData:
    """Write pairs of successful and failed trajectories as data for preference training.

    Arguments and result are those of `sft`; see `worksmith export dpo --help` for the settings.
    """
    return write(DpoSettings(source=_names(source), out=Path(out), **settings), progress=progress)


def write(settings: TrainingDataSettings, *, progress: Progress = SILENT) -> TrainingData:
    """Write training data, see `sft` and `dpo`.

    Raises:
        InputError: a source or a setting is wrong; a task that is held back, or nearly the same, would be
            inside; no trajectory succeeded, or no task has a successful and a failed one; or the files cannot
            be written.
    """
    if isinstance(settings, SftSettings):
        check_documents(settings)
    job = Job(settings, progress)
    trajectories = job.trajectories()
    if isinstance(settings, DpoSettings):
        rows, lacking = preference_rows(trajectories, rest=settings.rest)
        job.left.update(lacking)
        return job.write("dpo", rows)
    job.left.update(one.fault for one in trajectories if one.fault)
    return job.write("sft", imitation_rows(trajectories))


def forecast(settings: TrainingDataSettings) -> DataForecast:
    """Forecast an export."""
    suites, sources = open_sources(settings)
    held_back = HeldBack(suites, settings.exclude)
    leaks = held_back.leaks((each.suite, each.task) for source in sources for each in source.told)
    return DataForecast(suites, sources, held_back.tasks, list(leaks.values()))


def _names(source: str | Path | Sequence[str | Path]) -> tuple[str, ...]:
    return (str(source),) if isinstance(source, str | Path) else tuple(map(str, source))
