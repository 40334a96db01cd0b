"""`worksmith suite`: build, import and describe suites."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import DryRunFlag, JsonFlag, SuiteArgument, from_settings
from worksmith.cli.terminal import show
from worksmith.cli.worlds.kind_options import BuildCommand, ImportCommand, given_options, kinds, systems
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.suites import BuildSettings, ImportSettings, TaskListSettings
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.jobs.building import SuiteFacts

YesFlag = Annotated[bool, typer.Option("--yes", help="Ask models that cost money without confirmation.")]

app = Commands(
    help="Build, import and describe suites (a world, its tasks, a manifest).", no_args_is_help=True
)

_LISTED = {"id", "query", "split", "intent", "domains", "area", "type", "difficulty", "persona"}


@app.command("build", cls=BuildCommand)
@from_settings(BuildSettings, complete={"kind": kinds})
def build(
    settings: BuildSettings,
    context: typer.Context,
    yes: YesFlag = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Generate a world, its tasks and its search index. Seed and scale decide every byte but the index.

    Models that cost money are asked after confirmation; without a terminal only with --yes.
    """
    from worksmith.jobs.building import build, facts_of, forecast_build

    settings = settings.model_copy(update={"options": given_options(context)})
    forecast = forecast_build(settings)
    if dry_run:
        show(forecast, as_json)
        return
    if not yes:
        _confirm(forecast)
    show(facts_of(build(settings, progress=Terminal())), as_json)


@app.command("import", cls=ImportCommand)
@from_settings(ImportSettings, complete={"system": systems})
def import_(settings: ImportSettings, as_json: JsonFlag = False) -> None:
    """Read a published system's own files into a suite."""
    from worksmith.jobs.building import facts_of, import_published

    show(facts_of(import_published(settings, progress=Terminal())), as_json)


@app.command("info")
def info(suite: SuiteArgument, as_json: JsonFlag = False) -> None:
    """Describe a suite: its world, tasks, splits and digests."""
    from worksmith.evals.suite import Suite
    from worksmith.jobs.building import facts_of

    show(facts_of(Suite.open(suite)), as_json)


@app.command("tasks")
@from_settings(TaskListSettings)
def tasks(settings: TaskListSettings, as_json: JsonFlag = False) -> None:
    """List tasks: their ids, their personas, and their texts."""
    from worksmith.evals.suite import Suite
    from worksmith.jobs.opening.suites import choose_tasks

    _, chosen = choose_tasks(Suite.open(settings.suite), settings, Terminal())
    if as_json:
        listed = [task.model_dump(mode="json", include=_LISTED) for task in chosen]
        typer.echo(json.dumps(listed, ensure_ascii=False))
        return
    for task in chosen:
        who = f" ({task.persona.id})" if task.persona else ""
        typer.echo(f"{task.id}{who}: {task.query}")


def _confirm(forecast: SuiteFacts) -> None:
    """Go on if no model costs money, or if the user agrees.

    Raises:
        InputError: there is no terminal to ask at.
    """
    if not forecast.paid:
        return
    if not sys.stdin.isatty():
        raise InputError(forecast.paid, hint="--yes confirms it, --dry-run shows the parts")
    typer.confirm(f"{forecast.paid[0].upper()}{forecast.paid[1:]}. Go on?", abort=True, err=True)
