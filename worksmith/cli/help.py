"""The help of commands: options in groups; those that few people need are behind `--help-all`."""

from __future__ import annotations

from copy import copy
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

MORE = ": more"
"""The end of the heading of a group that only `--help-all` shows."""


class GroupedHelp(TyperCommand):
    """A command with grouped help. Its epilog, if any, is a list of examples, one a line."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)
        return [*params, *([_help_all(self, ctx)] if any(_is_more(each) for each in params) else [])]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, purpose, examples and options."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.strip().splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line.strip()}\n")
        every = bool(ctx.meta.get(_EVERY))
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and (every or not _is_more(param)):
                groups.setdefault(_group_of(param), []).append(record)
        width = max(
            (len(name) for group in groups.values() for name, _ in group if len(name) < _NAMES), default=0
        )
        for heading in sorted(groups, key=_place):
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(width), text) for name, text in groups[heading]], col_max=_NAMES
                )


class GroupHelp(TyperGroup):
    """A group whose help shows the purposes of its commands uncut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose(found)) for name, found in commands])


def purpose(command: Any) -> str:
    """The purpose of a command: the first paragraph of its help."""
    return purpose_in(command.help or "")


def purpose_in(help: str) -> str:
    return " ".join(help.partition("\n\n")[0].split())


_NAMES = 26
"""The widest column of options; the help of a longer one begins on the next line."""

_OTHERS = "Other options"
"""The heading of options without a group, such as `--json`."""

_LAST = ["Record", f"Record{MORE}", _OTHERS]
_EVERY = "worksmith.cli.help.every"


def _help_all(command: TyperCommand, ctx: Any) -> Any:
    """The option, made of the command's own `--help`."""
    option: Any = copy(command.get_help_option(ctx))

    def show(ctx: Any, _param: Any, asked: bool) -> None:
        if asked:
            ctx.meta[_EVERY] = True
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    option.opts, option.name, option.callback = ["--help-all"], "help_all", show
    option.help = "Show all options and exit."
    return option


def _place(heading: str) -> int:
    """The place of a group after those that keep their order."""
    return _LAST.index(heading) + 1 if heading in _LAST else 0


def _group_of(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or _OTHERS


def _is_more(param: Any) -> bool:
    return _group_of(param).endswith(MORE)
