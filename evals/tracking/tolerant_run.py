"""A run that goes on where its store fails: its episodes are in a log, and can be sent later."""

from __future__ import annotations

import shlex
import time
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.tracker import Run
from worksmith.evals.tracking.unsent_runs import Unsent, forget_unsent, note_unsent
from worksmith.tools.errors import Notice

Value = TypeVar("Value")
Given = ParamSpec("Given")

_FRESH = 1.0
"""Seconds for which a store that answered is not asked again whether it does."""


class _Store:
    """The store as a run and those below it know it.

    Attributes:
        failure: the first; nothing is sent after it.
    """

    def __init__(self) -> None:
        self.failure: TrackingError | None = None
        self._answered = -_FRESH

    def sent(self, run: Run, send: Callable[[], Value]) -> Value | None:
        """Send something unless the store has failed; None if it did or does."""
        if self.failure is not None:
            return None
        try:
            if time.monotonic() - self._answered > _FRESH:
                run.check()
            value = send()
        except TrackingError as error:
            self.failure = error
            warnings.warn(f"the run goes on without MLflow: {error}", Notice, stacklevel=4)
            return None
        self._answered = time.monotonic()
        return value


def _guarded(
    method: Callable[Concatenate[Run, Given], Value],
) -> Callable[Concatenate[TolerantRun, Given], Value | None]:
    """A method of a tolerant run that calls that of its run, unless the store has failed."""

    @wraps(method)
    def sent(self: TolerantRun, /, *args: Given.args, **named: Given.kwargs) -> Value | None:
        return self._sent(lambda: getattr(self._run, method.__name__)(*args, **named))

    return sent


class TolerantRun(Run):
    """A run that goes on where its store fails. Use `tolerant`.

    The first failure is a `Notice`; nothing is sent after it, to this run or one above or below. At the end a
    second notice names the command that sends the episodes later.

    Args:
        run: the run; None if the store failed before it was made.
    """

    def __init__(self, run: Run | None, store: _Store, above: str | None = None) -> None:
        self._run = run or Run()
        self._store = store
        self._made = self._run.id
        self._above = above
        self._log: Path | None = None

    @property
    def id(self) -> str | None:
        return self._made if self._store.failure is None else None

    def _sent(self, send: Callable[[], Value]) -> Value | None:
        return self._store.sent(self._run, send)

    def logged_in(self, log: Path) -> None:
        self._log = log
        forget_unsent(log)

    def child(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        made = self._sent(lambda: self._run.child(name, params=params, tags=tags))
        return TolerantRun(made, self._store, self._made or self._above)

    params = _guarded(Run.params)
    metrics = _guarded(Run.metrics)
    dataset = _guarded(Run.dataset)
    judges = _guarded(Run.judges)
    evaluation = _guarded(Run.evaluation)
    traces = _guarded(Run.traces)
    report = _guarded(Run.report)
    text = _guarded(Run.text)
    model = _guarded(Run.model)
    prompts = _guarded(Run.prompts)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sent(lambda: self._run.__exit__(kind, error, trace))
        whole = self._store.failure is None and self._run.complete
        if not whole and self._log is not None:
            note_unsent(self._log, Unsent(run=self._made, above=self._above))
            later = shlex.join(["worksmith", "log", str(self._log)])
            warnings.warn(f"to send it when MLflow answers again: {later}", Notice, stacklevel=2)


def tolerant(run: Run) -> Run:
    """A run that goes on where its store fails; a run that keeps nothing stays as it is."""
    return run if run.id is None else TolerantRun(run, _Store())
