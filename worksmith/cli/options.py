"""Options from settings: a command's parameters are the fields of its settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from annotated_types import Ge, Le
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from worksmith.cli.help import MORE
from worksmith.jobs.settings.base import (
    JobSettings,
    bare_type,
    choices_of,
    comma_separated,
    group_of,
    option_name,
    ordered_fields,
    traits_of,
)
from worksmith.jobs.settings.groups.tasks import SuiteSettings

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]

VerboseFlag = Annotated[bool, typer.Option("--verbose", help="Print all tables.")]

DRY_RUN = "Print the planned runs and their cost; run nothing."

DryRunFlag = Annotated[bool, typer.Option("--dry-run", help=DRY_RUN)]

Complete = Callable[..., Iterable[str]]


def from_settings(
    settings: type[JobSettings], complete: Mapping[str, Complete] = {}, examples: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turn a function of settings into a function whose parameters are the fields of those settings.

    Parameters after the first stay as they are, such as `--json`.

    Args:
        settings: the class of settings that the function takes.
        complete: by field a function that gives the values which a shell completes, for values that are
            read from a world or its kind.
        examples: commands for the help, one a line.

    Returns:
        A decorator; typer reads the signature of the function that it gives.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        every = ordered_fields(settings)
        fields = {name: field for name, field in every.items() if traits_of(field).option}
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

        @wraps(command)
        def run(**given: Any) -> None:
            values = {name: given.pop(name) for name in fields}
            named = {name: value for name, value in values.items() if value is not None and value != []}
            command(settings(**named), **given)

        derived = [
            parameter(name, field, complete.get(name), group_of(settings, name))
            for name, field in fields.items()
        ]
        spelled = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*derived, *own)]
        run.__signature__ = inspect.Signature(spelled)  # type: ignore[attr-defined]
        run.examples = examples  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in spelled}
        return run

    return decorate


def option(settings: type[JobSettings], name: str) -> Any:
    """The option or argument of one field, for a command without its own settings."""
    return parameter(name, settings.model_fields[name]).annotation.__metadata__[0]


def parameter(
    name: str, field: FieldInfo, complete: Complete | None = None, group: str = ""
) -> inspect.Parameter:
    """The parameter of a command that stands for a field, in a group of the command's help."""
    traits, kind, default = traits_of(field), bare_type(field.annotation), field.default
    limits = {
        bound: getattr(each, attribute)
        for each in field.metadata
        for cls, bound, attribute in ((Ge, "min", "ge"), (Le, "max", "le"))
        if isinstance(each, cls)
    }
    choices = choices_of(field)
    offered = complete or ((lambda: choices) if choices else None)
    about: dict[str, Any] = {
        "help": field.description,
        "metavar": traits.metavar,
        "envvar": traits.variable,
        "show_default": traits.unset or True,
        "autocompletion": offered,
        "dir_okay": traits.path != "file",
        "file_okay": traits.path != "folder",
        "rich_help_panel": group and f"{group}{MORE if traits.expert else ''}",
        **limits,
    }
    if get_origin(kind) is Literal:
        kind = str
    elif comma_separated(field):
        kind, default = str, None if traits.unset else ",".join(default)
    elif get_origin(kind) is tuple:
        kind, default = list[get_args(kind)[0]], None if default == () or traits.unset else default  # type: ignore[misc]
    elif traits.unset:
        default = None
    needed = default is PydanticUndefined
    if traits.positional:
        about |= {"metavar": traits.metavar or name.upper()}
        about.pop("rich_help_panel")
        info = typer.Argument(**about)
    else:
        info = typer.Option(*_flags(name, field, kind), **about)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if needed else default,
        annotation=Annotated[kind if needed or default is not None else kind | None, info],
    )


def _flags(name: str, field: FieldInfo, kind: Any) -> list[str]:
    flag, short = option_name(name, field), traits_of(field).short
    if kind is bool and field.default is True:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    return [flag, short] if short else [flag]


SuiteArgument = Annotated[Path, option(SuiteSettings, "suite")]
