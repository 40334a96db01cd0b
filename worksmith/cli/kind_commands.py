"""Commands of the installed kinds, and groups that they share with worksmith."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import typer
from typer.main import get_group

from worksmith.cli.command import Commands, command_at, mount
from worksmith.cli.help import GroupHelp, purpose

_GROUPS = {"serve": "Serve a model, a program, a world or its tools to others."}
"""Groups that commands of several kinds share, with their help."""

_OURS = {
    "serve model": "worksmith.cli.serve.model:serve_model",
    "serve program": "worksmith.cli.serve.program:serve_program",
    "serve tools": "worksmith.cli.serve.tools:serve_tools",
}
"""Commands of no kind in these groups."""


@cache
def kind_commands() -> dict[str, str]:
    """The commands and groups of all kinds by name, each with its purpose."""
    return {name: _GROUPS.get(name) or purpose(kind_command(name)) for name in _addresses()}


def kind_command(name: str) -> Any:
    """The command or group of this name.

    Raises:
        KeyError: no kind has it.
    """
    addresses = _addresses()[name]
    if "" in addresses:
        return command_at(name, addresses[""])
    group = Commands(name=name, cls=GroupHelp, help=_GROUPS.get(name), no_args_is_help=True)
    for rest, address in addresses.items():
        mount(group, rest, address)
    return get_group(group)


@cache
def _addresses() -> dict[str, dict[str, str]]:
    """The addresses of commands by their first word and the rest. A broken kind is named on stderr."""
    from worksmith.evals.task_kind import TASK_KINDS

    found: dict[str, dict[str, str]] = {}
    for commands in (_OURS, *map(_commands_of, TASK_KINDS.names())):
        for words, address in commands.items():
            name, _, rest = words.partition(" ")
            found.setdefault(name, {})[rest] = address
    return found


def _commands_of(kind: str) -> Mapping[str, str]:
    from worksmith.evals.task_kind import TASK_KINDS
    from worksmith.tools.errors import InputError

    try:
        return TASK_KINDS.get(kind).commands
    except InputError as error:
        typer.echo(f"worksmith: {error}", err=True)
        return {}
