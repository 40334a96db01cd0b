"""Commands that are a job with its settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from worksmith.cli import choices
from worksmith.cli.options import DRY_RUN, JsonFlag, VerboseFlag, from_settings
from worksmith.cli.terminal import end_stopped, say, show
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.showing.printing import Printable


def job_command(row: Mapping[str, Any]) -> Callable[..., None]:
    """The function of a command, as a row of the table describes it.

    Keys of the row are `settings` (the class), `job`, `dry_run` (the job that forecasts), `verbose` (whether
    its result has tables), `help`, `examples` and `complete` (what a shell completes, by field). A job takes
    settings and, if it likes, a progress.
    """

    def run(settings: Any, verbose: VerboseFlag = False, as_json: JsonFlag = False) -> None:
        result = _result(row["job"], settings)
        show(result, as_json, verbose)
        for said in result.unheard if as_json else ():
            say(said)
        if result.failed:
            raise typer.Exit(1)
        end_stopped(*result.undone)

    def plan_or_run(
        settings: Any, dry_run: bool = False, verbose: VerboseFlag = False, as_json: JsonFlag = False
    ) -> None:
        if dry_run:
            show(_result(row["dry_run"], settings), as_json)
        else:
            run(settings, verbose, as_json)

    flag = typer.Option("--dry-run", help=row.get("dry_run_help", DRY_RUN))
    plan_or_run.__annotations__["dry_run"] = Annotated[bool, flag]
    made: Any = plan_or_run if "dry_run" in row else run
    made.__doc__ = row["help"]
    parameters = inspect.signature(made, eval_str=True).parameters.values()
    shown = [each for each in parameters if each.name != "verbose" or row.get("verbose")]
    made.__signature__ = inspect.Signature(shown)
    complete = {name: getattr(choices, values) for name, values in row.get("complete", {}).items()}
    return from_settings(_at(row["settings"]), complete, row.get("examples", ()))(made)


def _result(job: str, settings: Any) -> Printable:
    function = _at(job)
    hears = {"progress": Terminal()} if "progress" in inspect.signature(function).parameters else {}
    result: Printable = function(settings, **hears)
    return result


def _at(address: str) -> Any:
    module, _, name = address.partition(":")
    return getattr(import_module(f"worksmith.{module}"), name)
