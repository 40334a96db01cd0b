"""`worksmith compile` as tests call it."""

from __future__ import annotations

from typing import Any

import typer
from typer.testing import CliRunner

from worksmith.cli.programs.compile import compile_program

APP = typer.Typer()
APP.command()(compile_program)


def run(*arguments: object) -> Any:
    """The result of the command, untracked; what it raises is raised."""
    result = CliRunner().invoke(APP, [str(argument) for argument in (*arguments, "--no-track")])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
