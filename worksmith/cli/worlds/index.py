"""`worksmith index`: make or check the search index over a suite's sources."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say, show
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.suites import IndexSettings

CheckFlag = Annotated[
    bool, typer.Option("--check", help="Only compare the index with the world, record by record.")
]


@from_settings(IndexSettings)
def index_suite(settings: IndexSettings, check: CheckFlag = False, as_json: JsonFlag = False) -> None:
    """Index the texts of a suite. Embeds only new and changed texts, even after a kill."""
    from worksmith.jobs import indexing

    if check:
        show(indexing.check(settings), as_json)
        return
    try:
        show(indexing.index(settings, progress=Terminal()), as_json)
    except KeyboardInterrupt as stop:
        say("Stopped; the same command goes on from here")
        raise typer.Exit(130) from stop
