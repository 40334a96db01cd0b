"""Commands: grouped help, and defaults from the project file of the folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.main import get_group

from worksmith.cli.help import GroupedHelp, GroupHelp
from worksmith.tools.errors import InputError
from worksmith.tools.files import PROJECT_FILE


class Command(GroupedHelp):
    """A command whose settings have the project's values where neither option nor environment gives one."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if parent is not None and os.path.lexists(PROJECT_FILE):
            # Only now: checking the file loads pydantic, which help does not need.
            from worksmith.cli.project import current_project, defaults_for, use_models_of

            project = current_project()
            use_models_of(project)
            if project.defaults or project.prices:
                known = SettingsOfCommands(parent.find_root().command)
                words = " ".join([*_words(parent), str(info_name)])
                extra["default_map"] = defaults_for(project, words, known.get(words, ()), known)
        given = list(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:
            param, defaults = getattr(error, "param", None), extra.get("default_map", {})
            first = next((one for one in self.params if one.param_type_name == "argument"), None)
            missing = type(error).__name__ == "MissingParameter" and param is not first
            if missing and first is not None and first.name in defaults:
                # A single argument is the later one: `run TASK` in a project, for `run SUITE TASK`.
                return super().make_context(info_name, [str(defaults[first.name]), *given], parent, **extra)
            if param is None or param.name not in defaults or not set(given).isdisjoint(param.opts):
                raise
            message = str(getattr(error, "message", error))
            place = f"{PROJECT_FILE}: defaults: {param.name}"
            raise InputError(message[:1].lower() + message[1:].rstrip("."), where=place) from error


class Commands(typer.Typer):
    """A group of commands. A function's `examples` are shown in the help of its command."""

    def __init__(self, **about: Any) -> None:
        # Help with markup loads a parser of Markdown, a highlighter and all emoji.
        super().__init__(rich_markup_mode=None, **about)

    def command(self, name: str | None = None, **about: Any) -> Callable[[Any], Any]:
        def add(function: Any) -> Any:
            examples = "\n".join(getattr(function, "examples", ())) or None
            add_command = super(Commands, self).command
            return add_command(name, **{"cls": Command, "epilog": examples} | about)(function)

        return add


def mount(group: Commands, name: str, address: str) -> None:
    """Add the command or group at an address `module:attribute`."""
    module, _, attribute = address.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        group.add_typer(found, name=name, cls=found.info.cls or GroupHelp)
    else:
        group.command(name)(found)


def command_at(name: str, address: str) -> Any:
    """The command or group at an address, with a name."""
    parent = Commands()
    mount(parent, name, address)
    return get_group(parent).commands[name]


def with_default(name: str) -> type[GroupHelp]:
    """A group in which `GROUP RUN` means `GROUP NAME RUN`, if RUN is not a command."""

    class Group(GroupHelp):
        default = name

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if args and args[0] not in (*self.commands, "-h", "--help"):
                args = [self.default, *args]
            parsed: list[str] = super().parse_args(ctx, args)
            return parsed

    return Group


class SettingsOfCommands(Mapping[str, Collection[str]]):
    """The names of the settings of each command below `root`, by the command's words.

    A command is loaded when it is looked up; to count them or to go through them loads all.
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    def __getitem__(self, words: str) -> Collection[str]:
        found = self._root
        for word in words.split():
            found = getattr(found, "commands", {})[word]
        if hasattr(found, "commands"):
            raise KeyError(words)
        return [param.name for param in found.params]

    def __iter__(self) -> Iterator[str]:
        return _below(self._root, ())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _below(group: Any, words: Sequence[str]) -> Iterator[str]:
    for name, found in group.commands.items():
        if hasattr(found, "commands"):
            yield from _below(found, (*words, name))
        else:
            yield " ".join((*words, name))


def _words(context: Any) -> list[str]:
    """The words of a context's command after the name of the program."""
    return [] if context.parent is None else [*_words(context.parent), str(context.info_name)]
