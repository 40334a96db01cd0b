"""The commands of `commands.toml`. A command's modules are loaded when it is run, or its help is shown."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_group

from worksmith.cli.command import Commands, mount, with_default
from worksmith.cli.help import GroupHelp, purpose_in

Row = Mapping[str, Any]


@cache
def rows() -> Mapping[str, Row]:
    """The rows of the table by the names of commands and groups."""
    return tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))


def purposes() -> dict[str, str]:
    """The purpose of each command, by name."""
    return {name: purpose_in(row["help"]) for name, row in rows().items()}


def command(name: str) -> Any:
    """The command or group of this name."""
    parent = Commands()
    _add(parent, name, rows()[name])
    return get_group(parent).commands[name]


def _add(group: Commands, name: str, row: Row) -> None:
    if "at" in row:
        mount(group, name, f"worksmith.cli.{row['at']}")
    elif "commands" in row:
        below = Commands(help=row["help"], no_args_is_help=True)
        for each, its in row["commands"].items():
            _add(below, each, its)
        group.add_typer(below, name=name, cls=with_default(row["default"]) if "default" in row else GroupHelp)
    else:
        from worksmith.cli.job_command import job_command

        group.command(name)(job_command(row))
