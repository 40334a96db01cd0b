"""The terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import typer

from worksmith.evals.characters import harmless

if TYPE_CHECKING:
    from rich.console import Console

SPENT = 3
"""The exit code of a command that stopped at a limit, so that it reports a part of the result."""


def say(message: str) -> None:
    """Print a sentence that is not the result."""
    typer.echo(harmless(message), err=True)


class JobResult(Protocol):
    """The result of a job."""

    def to_json(self) -> Any: ...

    def print(self, console: Console) -> None: ...

    def print_tables(self, console: Console) -> None: ...


def show(result: JobResult, as_json: bool, verbose: bool = False) -> None:
    """Print a result as one JSON document, or for people; `verbose` with all tables."""
    if as_json:
        typer.echo(json.dumps(result.to_json()))
        return
    from rich.console import Console

    (result.print_tables if verbose else result.print)(Console())


def end_stopped(limit: str, undone: str) -> None:
    """Fail if a limit of the budget ended the job, after a report of the rest.

    Raises:
        Exit: with `SPENT`.
    """
    if limit:
        say(f"stopped by --{limit.replace('_', '-')}: {undone}")
        raise typer.Exit(SPENT)
