"""The commands. A command's module is loaded when it is run, or its help is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import chain
from typing import Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from worksmith import __version__
from worksmith.cli.command import Commands
from worksmith.cli.kind_commands import kind_commands

# Set before any library reads them: no telemetry, and no price list fetched from the network at import.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# DSPy's own progress bars would write over ours, and into files where nobody watches.
os.environ.setdefault("TQDM_DISABLE", "1")

COMMANDS = {
    "new": "worlds.new:new_project",
    "compile": "programs.compile:compile_program",
    "verify": "programs.verify:verify_program",
    "eval": "programs.eval:evaluate_program",
    "compare": "programs.compare:compare_strategies",
    "run": "programs.run:run_task",
    "quickstart": "programs.quickstart:quickstart",
    "bank": "programs.bank:app",
    "report": "runs.report:report_runs",
    "episodes": "runs.episodes:list_episodes",
    "power": "runs.power:plan_comparison",
    "score": "runs.score:score_predictions",
    "rate": "runs.rate:rate_runs",
    "log": "runs.log:app",
    "ui": "runs.ui:open_ui",
    "judge": "runs.judge:app",
    "index": "worlds.index:index_suite",
    "suite": "worlds.suite:app",
    "tasks": "worlds.tasks:app",
    "access": "worlds.access:app",
    "export": "export.app:app",
    "train": "train.app:app",
    "config": "config:app",
    "doctor": "doctor:examine",
}
"""The commands and groups, each with the module below `worksmith.cli` and the name it has there."""


class _Commands(Mapping[str, Any]):
    """The commands by name, those of kinds last; the module of each is loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            return kind_commands()[name]
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"worksmith.cli.{module}"), attribute)
        parent = Commands()
        if isinstance(found, typer.Typer):
            parent.add_typer(found, name=name)
        else:
            parent.command(name)(found)
        return get_group(parent).commands[name]

    def __iter__(self) -> Iterator[str]:
        return chain(COMMANDS, kind_commands())

    def __len__(self) -> int:
        return len(COMMANDS) + len(kind_commands())


class _Group(TyperGroup):
    """The root of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast(Any, _Commands())


app = Commands(
    name="worksmith",
    cls=_Group,
    help="Compile, compare and track workplace-agent programs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"worksmith {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", callback=_version, is_eager=True
    ),
) -> None:
    """Compile, compare and track workplace-agent programs."""
