"""The progress of a job on the screen: in a terminal on stderr, in a notebook as one output of the cell."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from worksmith.evals.characters import harmless
from worksmith.evals.progress.progress import SILENT, Progress, Tick

if TYPE_CHECKING:
    from worksmith.evals.progress.live import LiveStep

_REFRESHED = 0.25
"""Seconds between two pictures of the live display."""

_WATCHED = 1.0
"""Seconds between two looks at the models where nothing is displayed."""


def on_screen(shown: bool | None) -> Progress:
    """The progress of a call from Python.

    Args:
        shown: None shows it in a terminal and in a notebook, and not where stderr is a pipe or a file.
    """
    if shown is None:
        shown = in_notebook() or sys.stderr.isatty()
    if not shown:
        return SILENT
    return Notebook() if in_notebook() else Terminal()


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


class Terminal(Progress):
    """Prints the sentences of a job, and shows its steps live where stderr is a terminal."""

    def __init__(self) -> None:
        self._live: Any = None

    def say(self, message: str) -> None:
        """Print a sentence, above what is shown live."""
        if self._live is None:
            sys.stderr.write(f"{harmless(message)}\n")
        else:
            self._live.console.print(harmless(message), markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def bar(self, label: str) -> Iterator[Tick]:
        """Show a step live where there is a place for it. That a model is paused is said in any case."""
        from worksmith.evals.lm.prices import prices_in_use
        from worksmith.evals.lm.wire.lane import traffic
        from worksmith.evals.progress.live import LiveStep, Pauses

        step, pauses, ended = LiveStep(label, prices_in_use()), Pauses(), threading.Event()
        shown = self._open(step)

        def watch() -> None:
            while not ended.wait(_REFRESHED if shown else _WATCHED):
                found = traffic()
                for sentence in pauses.news(found):
                    self.say(sentence)
                step.note(found)
                self._refresh(step)

        # A notebook knows by the context which cell an output is of.
        watching = threading.Thread(
            target=copy_context().run, args=(watch,), daemon=True, name="worksmith-live"
        )
        watching.start()
        try:
            yield step.tick
        finally:
            ended.set()
            watching.join()
            self._close(step)

    def _open(self, step: LiveStep) -> bool:
        """Begin to show a step; says whether there is a place for it."""
        from rich.console import Console
        from rich.live import Live

        if sys.stderr.isatty():
            self._live = Live(step, console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        return self._live is not None

    def _refresh(self, step: LiveStep) -> None:
        if self._live is not None:
            self._live.refresh()

    def _close(self, step: LiveStep) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


class Notebook(Terminal):
    """Shows sentences and steps in one output of the cell, which is renewed in its place."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Markup] = []
        self._handle: Any = None

    def say(self, message: str) -> None:
        self._lines.append(Markup("<div>{}</div>").format(harmless(message)))
        self._show()

    def _open(self, step: LiveStep) -> bool:
        self._refresh(step)
        return True

    def _refresh(self, step: LiveStep) -> None:
        self._show(step.html())

    def _close(self, step: LiveStep) -> None:
        self._lines.append(Markup("<div>{}</div>").format(step.ended))
        self._show()

    def _show(self, step: str = "") -> None:
        # No dependency: a kernel has it.
        ipython = import_module("IPython.display")
        page = ipython.HTML(f'<div style="opacity:.8">{"".join(self._lines)}{step}</div>')
        if self._handle is None:
            self._handle = ipython.display(page, display_id=True)
        else:
            self._handle.update(page)
