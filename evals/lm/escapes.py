"""Requests that escape counting: models outside our engine, and failures that a program hides."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self
from weakref import WeakSet

import dspy
from dspy.dsp.utils.settings import main_thread_config
from dspy.utils.usage_tracker import UsageTracker

from worksmith.evals.lm.users_code import FROM_MODEL, UserCodeError
from worksmith.tools.errors import InputError

_WATCH = "worksmith_watch"
"""The name of the watch in use among DSPy's settings, which reach the threads that DSPy starts."""

_TRACKER = "usage_tracker"


class UnmeteredModels(UsageTracker):  # type: ignore[misc]
    """Refuses models outside worksmith's engine; DSPy reports each of them to a usage tracker."""

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        raise InputError(
            f"{lm} was asked, but not through the engine that counts requests",
            hint="give the model to a predictor or an attribute of the program when it is built",
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class _Threads(UnmeteredModels):
    """Notes the models that threads ask which began meanwhile, and which have no settings of a block."""

    def __init__(self) -> None:
        super().__init__()
        self.watches = 0
        self.asked: list[str] = []
        self._known = WeakSet(threading.enumerate())

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        if threading.current_thread() not in self._known:
            self.asked.append(lm)


class Watch:
    """A call of a program.

    Attributes:
        failure: of its last request to a model; None if that was answered.
        reward: the last exception of the program's rewards; None without one.
    """

    failure: Exception | None = None
    reward: UserCodeError | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


_LOCK = threading.Lock()


@contextmanager
def watching() -> Iterator[Watch]:
    """A block in which a program is called.

    Raises:
        InputError: a thread that the program began asked a model without DSPy's settings, so that it asked
            the configured model, and nothing was counted.
    """
    threads = _join()
    # An episode that hangs never ends its block, and threads outside of episodes may ask while it hangs.
    before = 0 if threads is None else len(threads.asked)
    watch = Watch()
    try:
        with dspy.context(**{_WATCH: watch}):
            yield watch
    finally:
        _leave(threads)
    if threads is not None and len(threads.asked) > before:
        raise InputError(
            f"{threads.asked[before]} was asked in a thread without DSPy's settings, so nothing was counted",
            hint="start it with contextvars.copy_context().run, or use dspy.Parallel or dspy.asyncify",
        )


def watch_in_use() -> Watch | None:
    """The watch of the block that runs; None outside of one."""
    watch: Watch | None = dspy.settings.get(_WATCH)
    return watch


@contextmanager
def answering() -> Iterator[None]:
    """A block that answers a request; the watch in use notes a failure."""
    watch = watch_in_use()
    try:
        yield
    except Exception as error:
        with suppress(AttributeError):  # a class with slots
            setattr(error, FROM_MODEL, True)
        if watch is not None:
            watch.failure = error
        raise
    if watch is not None:
        watch.failure = None


def _join() -> _Threads | None:
    """The tracker of threads without their own settings; None if the user has configured one."""
    with _LOCK:
        found = main_thread_config.get(_TRACKER)
        if found is None:
            found = main_thread_config[_TRACKER] = _Threads()
        if not isinstance(found, _Threads):
            return None
        found.watches += 1
        return found


def _leave(threads: _Threads | None) -> None:
    with _LOCK:
        if threads is None:
            return
        threads.watches -= 1
        if not threads.watches and main_thread_config.get(_TRACKER) is threads:
            main_thread_config[_TRACKER] = None
