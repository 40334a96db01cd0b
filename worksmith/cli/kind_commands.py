"""Commands that the installed kinds have of their own, and groups that they share with ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.main import get_group

from worksmith.cli.command import Commands

_GROUPS = {"serve": "Serve a model, a program, a world or its tools to others."}
"""Groups that commands of several kinds share, with their help."""

_OURS = {
    "serve model": "worksmith.cli.serve.model:serve_model",
    "serve program": "worksmith.cli.serve.program:serve_program",
    "serve tools": "worksmith.cli.serve.tools:serve_tools",
}
"""Commands of no kind in these groups."""


@cache
def kind_commands() -> dict[str, Any]:
    """The commands and groups of all kinds by name. A broken kind is named on stderr, and has none."""
    from worksmith.evals.task_kind import TASK_KINDS

    root = Commands()
    shared: dict[str, typer.Typer] = {}
    for commands in (_OURS, *map(_commands_of, TASK_KINDS.names())):
        for words, address in commands.items():
            group, _, name = words.rpartition(" ")
            if group and group not in shared:
                shared[group] = Commands(help=_GROUPS.get(group), no_args_is_help=True)
                root.add_typer(shared[group], name=group)
            _mount(shared.get(group, root), name, address)
    return dict(get_group(root).commands)


def _commands_of(kind: str) -> Mapping[str, str]:
    from worksmith.evals.task_kind import TASK_KINDS
    from worksmith.tools.errors import InputError

    try:
        return TASK_KINDS.get(kind).commands
    except InputError as error:
        typer.echo(f"worksmith: {error}", err=True)
        return {}


def _mount(parent: typer.Typer, name: str, address: str) -> None:
    """Add the command or group at an address `module:attribute`."""
    module, _, attribute = address.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=name)
    else:
        parent.command(name)(found)
