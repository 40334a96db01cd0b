"""Trackers and their runs: the interface, and the tracker that keeps nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.reporting.report import Report
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tracking.registry import KeptModel


class Dataset(NamedTuple):
    name: str
    digest: str


class Run:
    """One run: settings, figures, episodes and files. This one keeps nothing.

    It ends with its `with` block: as failed after an exception, as killed after an interruption.

    Attributes:
        complete: whether the store holds everything that was sent to it.
    """

    complete: bool = True

    @property
    def id(self) -> str | None:
        """The id in MLflow; None if nothing is kept."""
        return None

    def check(self) -> None:
        """See that the store answers.

        Raises:
            TrackingError: it does not, within ten seconds.
        """

    def logged_in(self, log: Path) -> None:
        """Name the log of the run's episodes, from which they can be sent again."""

    def child(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A run below this one: a strategy, a candidate, a trial."""
        return self

    def params(self, values: Mapping[str, Any]) -> None:
        """Keep settings. Absolute paths are shortened to their last part."""

    def metrics(self, values: Mapping[str, float], *, step: int = 0, split: str = "") -> None:
        """Keep figures; infinite and missing ones are left out.

        Args:
            split: the one on which they were measured. After `model`, they are figures of the program on it.
        """

    def dataset(self, suite: Dataset, *, split: str, tasks: Sequence[Task], count: int | None = None) -> None:
        """Note the suite and split, with the number of tasks, as an input of the run.

        The visible part of the tasks is kept as an evaluation dataset, once for all runs, if they are at most
        500.

        Args:
            tasks: those at hand.
            count: their number, where not all are at hand.
        """

    def judges(self, judges: Sequence[Judge], tasks: Sequence[Task]) -> None:
        """Keep the rubrics by which judges grade these tasks."""

    def evaluation(
        self, result: EvalResult, *, split: str, tasks: Sequence[Task] = (), baseline: bool = False
    ) -> None:
        """Keep an evaluation: its figures, its episodes as a table, some of them as traces.

        An evaluation after `model` is shown with that program as well.

        Args:
            tasks: those of the episodes. Traces then hold the expectations and the judges' feedback.
            baseline: whether the program is a baseline: its episodes become traces only if all episodes do.
        """

    def traces(
        self,
        records: Sequence[EpisodeRecord],
        *,
        split: str,
        model: str,
        seed: int = 0,
        tasks: Sequence[Task] = (),
        baseline: bool = False,
    ) -> None:
        """Keep traces of some of these episodes, without figures. A run that loses traces ends as failed."""

    def report(self, report: Report) -> None:
        """Keep a report as a page and as Markdown; the latter is also the run's description."""

    def text(self, text: str, path: str) -> None:
        """Keep a text file."""

    def model(self, model: KeptModel) -> str | None:
        """Keep a program or a trained model.

        Returns:
            Its address, `models:/...`; None if nothing is kept.
        """
        return None

    def prompts(self, texts: Mapping[str, str], *, aliases: Sequence[str] = (), note: str = "") -> None:
        """Keep the prompts of a program by their names; a new text is a new version.

        Args:
            aliases: of the versions.
            note: what is new in them.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the run."""


class Tracker:
    """A place for runs. This one keeps nothing; `--no-track` uses it."""

    def start(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A new run at the top, usually one a command."""
        return Run()

    def end_abandoned(self, tags: Mapping[str, str]) -> None:
        """End the runs with these tags, and those below, that a killed process left running."""

    def recorded(self, records: Sequence[EpisodeRecord]) -> Run | None:
        """The finished run with exactly these episodes; what it holds already is not sent again."""
        return None

    def unfinished(self, run_id: str) -> Run | None:
        """A run that has not been finished, to be completed; what it holds already is not sent again."""
        return None
