"""The terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import typer

from worksmith.evals.characters import harmless
from worksmith.jobs.showing.progress import Progress, Tick

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

SPENT = 3
"""The exit code of a command that stopped at a limit, so that it reports a part of the result."""

_REFRESHED = 0.25
"""Seconds between two pictures of the live display."""

_WATCHED = 1.0
"""Seconds between two looks at the models where nothing is displayed."""


def say(message: str) -> None:
    """Print a sentence that is not the result."""
    typer.echo(harmless(message), err=True)


class Terminal(Progress):
    """Prints the sentences of a job, and shows its steps live where stderr is a terminal."""

    def __init__(self) -> None:
        self._screen: Live | None = None

    def say(self, message: str) -> None:
        """Print a sentence, above what is shown live."""
        if self._screen is None:
            say(message)
        else:
            self._screen.console.print(harmless(message), markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def bar(self, label: str) -> Iterator[Tick]:
        """Show a step live where stderr is a terminal. That a model is paused is said in any case."""
        from rich.console import Console
        from rich.live import Live

        from worksmith.cli.live import LiveStep, Pauses
        from worksmith.evals.lm.prices import prices_in_use
        from worksmith.evals.lm.wire.lane import traffic

        step, pauses, ended = LiveStep(label, prices_in_use()), Pauses(), threading.Event()
        screen = Live(step, console=Console(stderr=True), auto_refresh=False, transient=True)
        shown = sys.stderr.isatty()

        def watch() -> None:
            while not ended.wait(_REFRESHED if shown else _WATCHED):
                found = traffic()
                for sentence in pauses.news(found):
                    self.say(sentence)
                step.note(found)
                if shown:
                    screen.refresh()

        watching = threading.Thread(target=watch, daemon=True, name="worksmith-live")
        with screen if shown else nullcontext():
            self._screen = screen if shown else None
            watching.start()
            try:
                yield step.tick
            finally:
                ended.set()
                watching.join()
                self._screen = None


class Result(Protocol):
    """The result of a job."""

    def to_json(self) -> Any: ...

    def print(self, console: Console) -> None: ...

    def print_tables(self, console: Console) -> None: ...


def show(result: Result, as_json: bool, verbose: bool = False) -> None:
    """Print a result as one JSON document, or for people; `verbose` with all tables."""
    if as_json:
        typer.echo(json.dumps(result.to_json()))
        return
    from rich.console import Console

    (result.print_tables if verbose else result.print)(Console())


def end_stopped(limit: str, undone: str) -> None:
    """Fail where a limit of the budget ended the job, after saying what is undone.

    Raises:
        Exit: with `SPENT`.
    """
    if limit:
        say(f"stopped by --{limit.replace('_', '-')}: {undone}")
        raise typer.Exit(SPENT)
