"""`worksmith episodes`: the episodes behind a figure of a report, and each of them in full."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli import terminal
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.jobs.settings.runs import EpisodesSettings


@from_settings(EpisodesSettings)
def list_episodes(
    settings: EpisodesSettings,
    show: Annotated[
        str | None, typer.Option(metavar="ID", help="Print one episode in full, by its id or task.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the episodes behind a figure of a report with their values, or print one in full."""
    from worksmith.jobs.runs.episodes import list_episodes, whole_episode

    found = list_episodes(settings) if show is None else whole_episode(settings, show)
    terminal.show(found, as_json)
