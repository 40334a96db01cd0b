"""The terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import typer

from evals.characters import harmless
from worksmith.jobs.parts.progress import Progress, Tick

if TYPE_CHECKING:
    from rich.console import Console

SPENT = 3
"""The exit code of a command that stopped at a limit, so that it reports a part of the result."""


def say(message: str) -> None:
    """Print a sentence that is not the result."""
    typer.echo(harmless(message), err=True)


class Terminal(Progress):
    """Prints the sentences of a job, and progress bars where stderr is a terminal."""

    def say(self, message: str) -> None:
        """Print a sentence."""
        say(message)

    @contextmanager
    def bar(self, label: str) -> Iterator[Tick]:
        """Show a bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Bar(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
            shown = bar.add_task(label, total=None)

            def tick(done: int, total: int | None, part: str = "") -> None:
                description = f"{label}: {part}" if part else label
                bar.update(shown, description=description, completed=done, total=total)

            yield tick


class Result(Protocol):
    """The result of a job."""

    def to_json(self) -> Any: ...

    def print(self, console: Console) -> None: ...


def show(result: Result, as_json: bool) -> None:
    """Print a result as one JSON document, or for people."""
    if as_json:
        typer.echo(json.dumps(result.to_json()))
        return
    from rich.console import Console

    result.print(Console())


def end_stopped(limit: str, undone: str) -> None:
    """Fail where a limit of the budget ended the job, after saying what is undone.

    Raises:
        Exit: with `SPENT`.
    """
    if limit:
        say(f"stopped by --{limit.replace('_', '-')}: {undone}")
        raise typer.Exit(SPENT)
