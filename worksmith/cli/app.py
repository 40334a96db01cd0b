"""The commands. A command's module is loaded when it is run, or its help is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

import typer

from worksmith import __version__
from worksmith.cli.command import Command, Commands
from worksmith.cli.help import GroupHelp
from worksmith.cli.kind_commands import kind_command, kind_commands
from worksmith.cli.table import command, purposes, rows

# Set before any library reads them: no telemetry, and no price list fetched from the network at import.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# DSPy's own progress bars would overwrite this one, and fill files.
os.environ.setdefault("TQDM_DISABLE", "1")


class _Commands(Mapping[str, Any]):
    """The commands by name, those of kinds last; the module of each is loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return command(name) if name in rows() else kind_command(name)

    def __iter__(self) -> Iterator[str]:
        return chain(rows(), kind_commands())

    def __len__(self) -> int:
        return len(rows()) + len(kind_commands())


class _Root(GroupHelp):
    """The root of all commands. Its help and completion read the purpose of a command without loading it."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast(Any, _Commands())

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        text = purposes().get(cmd_name) or kind_commands().get(cmd_name)
        return None if text is None else Command(cmd_name, help=text)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and self.commands[name], rest


app = Commands(
    name="worksmith",
    cls=_Root,
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
