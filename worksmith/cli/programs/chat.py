"""`worksmith chat`: requests in words, one after another."""

from __future__ import annotations

import json
from contextlib import suppress

import typer

from worksmith.cli.choices import live_systems
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.programs.run import CommitFlag
from worksmith.cli.terminal import say, show
from worksmith.evals.characters import harmless
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.programs import ChatSettings
from worksmith.tools.errors import WorksmithError


@from_settings(
    ChatSettings,
    complete={"org": live_systems},
    examples=("worksmith chat helpdesk --as kofi", "worksmith chat helpdesk --as kofi --program agent.json"),
)
def chat(
    settings: ChatSettings,
    commit: CommitFlag = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask an agent one request after another, until Ctrl-D, and show its calls, answers and changes.

    The agent gets the earlier turns. The tables stay as they are; with --commit, you are asked after
    each answer that proposes changes.
    """
    from rich.console import Console

    from worksmith.jobs.tasks.asking import Chat

    talk = Chat.open(settings, commits=commit, progress=Terminal())
    if dry_run:
        show(talk.asked, as_json)
        return
    told = Console(stderr=True)
    with suppress(EOFError):
        while True:
            if not (text := told.input("[bold]>[/] ").strip()):
                continue
            try:
                turn = talk.ask(text)
                show(turn, as_json)
                if commit and turn.proposes and told.input("commit? [dim]y/N[/] ").strip().lower() == "y":
                    made = talk.commit(turn)
                    typer.echo(json.dumps({"committed": made}) if as_json else harmless(f"committed: {made}"))
            except WorksmithError as error:
                say(str(error))
