"""What commands may ask of a tracker, and the one that keeps nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from evals.reporting.report import Report
    from evals.running.runner import EvalResult
    from evals.tasks.task import Task
    from evals.tracking.registry import Registration


class Suite(NamedTuple):
    """The data of a run, as a tracker needs to know it."""

    name: str
    digest: str


class Run(Protocol):
    """One run: settings, figures, episodes and files. Ends with the `with` block that it opens.

    An exception in the block ends it as failed, an interruption as killed.
    """

    @property
    def id(self) -> str | None:
        """The run's id; None if nothing is kept."""
        ...

    def child(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A run below this one: a strategy, a candidate, a trial."""
        ...

    def params(self, values: Mapping[str, Any]) -> None:
        """Settings. Absolute paths are shortened to their last part."""
        ...

    def metrics(self, values: Mapping[str, float], *, step: int = 0) -> None:
        """Figures; what is not a finite number is left out."""
        ...

    def dataset(self, suite: Suite, *, split: str, tasks: int) -> None:
        """The data that the run used."""
        ...

    def evaluation(self, result: EvalResult, *, split: str, tasks: Sequence[Task] = ()) -> None:
        """An evaluation: its figures as `split/...`, its episodes as a table, some of them as traces.

        Args:
            tasks: those of the episodes. Traces then say what was expected, and quote what judges said.
        """
        ...

    def traces(
        self,
        records: Sequence[EpisodeRecord],
        *,
        split: str,
        model: str,
        seed: int = 0,
        tasks: Sequence[Task] = (),
    ) -> None:
        """Traces of those of these episodes that were chosen, without figures."""
        ...

    def report(self, report: Report, name: str = "report") -> None:
        """A report as a page and as Markdown; the latter is also the run's description."""
        ...

    def text(self, text: str, path: str) -> None:
        """A text file."""
        ...

    def program(
        self,
        name: str,
        code: Path,
        artifact: Path,
        *,
        params: Mapping[str, Any],
        config: Mapping[str, Any] | None = None,
        register_as: Registration | None = None,
    ) -> str | None:
        """A compiled program as a model that loads back.

        Args:
            code: a Python file that ends in `mlflow.models.set_model(...)`; it finds `artifact` under the
                key `program` of its context's artifacts.
            artifact: the file or directory that the compile left.
            config: settings that whoever loads it may set otherwise (`model_config`).
            register_as: also make it the next version of this registered model.

        Returns:
            The address to load it from, `models:/...`; None if nothing is kept.
        """
        ...

    def instructions(self, texts: Mapping[str, str]) -> None:
        """Instructions that an optimizer wrote, by the name of the prompt under which they are kept."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Tracker(Protocol):
    """Where runs are kept."""

    def start(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A new run at the top, usually one a command."""
        ...

    def end_abandoned(self, tags: Mapping[str, str]) -> None:
        """End the runs with these tags that a process left running when it was killed."""
        ...


class NullTracker:
    """Keeps nothing; what `--no-track` uses."""

    def start(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A run that keeps nothing."""
        return _NullRun()

    def end_abandoned(self, tags: Mapping[str, str]) -> None:
        """There are none."""


class _NullRun:
    id = None

    def child(self, name: str, **_: Any) -> Run:
        return self

    def params(self, values: Mapping[str, Any]) -> None:
        pass

    def metrics(self, values: Mapping[str, float], *, step: int = 0) -> None:
        pass

    def dataset(self, suite: Suite, *, split: str, tasks: int) -> None:
        pass

    def evaluation(self, result: EvalResult, *, split: str, tasks: Sequence[Task] = ()) -> None:
        pass

    def traces(self, records: Sequence[EpisodeRecord], **_: Any) -> None:
        pass

    def report(self, report: Report, name: str = "report") -> None:
        pass

    def text(self, text: str, path: str) -> None:
        pass

    def program(self, name: str, code: Path, artifact: Path, **_: Any) -> None:
        return None

    def instructions(self, texts: Mapping[str, str]) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
