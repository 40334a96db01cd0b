"""`worksmith bank`: collect trajectories from models, logs and recorded runs, to compile with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.programs import BankSettings

app = Commands(help="Build and read trace banks: successful trajectories to compile with.")


@app.command("build")
@from_settings(BankSettings)
def build(settings: BankSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Run trajectories through a program on a suite's tasks and keep the successful ones in one file."""
    from worksmith.jobs.bank import build_trace_bank, forecast_bank

    job = forecast_bank if dry_run else build_trace_bank
    show(job(settings, progress=Terminal()), as_json)


@app.command("show")
def show_file(
    file: Annotated[Path, typer.Argument(help="File written by `worksmith bank build`.")],
    as_json: JsonFlag = False,
) -> None:
    """Describe a bank by intent, domain and tool, with the reasons for missing tasks (--json: each task)."""
    from worksmith.jobs.bank_reading import read_bank

    show(read_bank(file), as_json)
