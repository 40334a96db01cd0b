"""`worksmith compile`: choose demonstrations for an agent and write it to one file."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli.help import MORE
from worksmith.cli.options import DryRunFlag, JsonFlag, VerboseFlag, from_settings
from worksmith.cli.terminal import say, show
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.compiling import CompileSettings
from worksmith.tools.errors import InputError


@from_settings(
    CompileSettings,
    examples=(
        "worksmith compile helpdesk -o a.json",
        "worksmith compile helpdesk -o a.json --lm openai/gpt-4o-mini --max-usd 2",
        "worksmith compile helpdesk -o a.json --optimizer race --dry-run",
    ),
)
def compile_program(
    settings: CompileSettings,
    aa: Annotated[
        bool,
        typer.Option(
            "--aa",
            rich_help_panel=f"Compile{MORE}",
            help="Compile nothing: check the race by an A/A test and write the finding. Fails if it finds a "
            "difference more often than --alpha.",
        ),
    ] = False,
    dry_run: DryRunFlag = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Episodes of each program in which --dry-run asks paid models. Costs money.",
            show_default="none; a few if models are free",
            rich_help_panel=f"Compile{MORE}",
        ),
    ] = None,
    verbose: VerboseFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Choose demonstrations for an agent on a suite's train and dev tasks; write it to one file."""
    from worksmith.jobs.compiling.compilation import compile
    from worksmith.jobs.compiling.forecast import forecast_compile
    from worksmith.jobs.compiling.same_program import check_same_program

    if sample is not None and not dry_run:
        raise InputError("a sample is for a forecast", where="--sample", hint="give --dry-run")
    if dry_run:
        show(forecast_compile(settings, sample=sample, aa=aa, progress=Terminal()), as_json)
        return
    if not aa:
        show(compile(settings, progress=Terminal()), as_json, verbose)
        return
    found = check_same_program(settings, progress=Terminal())
    show(found, as_json)
    if not found.passed:
        say("identical programs are told apart more often than stated")
        raise typer.Exit(1)
