"""Arguments and options that depend on the installed kinds, looked up when a command is parsed or shown."""

from __future__ import annotations

import inspect
import typing
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main

from worksmith.cli.command import Command

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_GIVEN = "worksmith.kind_options"
_SHARED = ("seed", "scale")
"""Settings of every build, which are options of the command itself."""


def kinds() -> list[str]:
    """The kinds whose suites can be built."""
    from worksmith.evals.task_kind import buildable_kinds

    return list(buildable_kinds())


def systems() -> list[str]:
    """The published systems that can be imported."""
    from worksmith.evals.task_kind import importer_names

    return list(importer_names())


class _LateCommand(Command):
    """A command with parameters that are completed when they are first asked for."""

    _own: list[Any]
    _late: list[Any] | None = None

    @property
    def params(self) -> list[Any]:
        if self._late is None:
            self._late = self.complete(self._own)
        return self._late

    @params.setter
    def params(self, value: list[Any]) -> None:
        self._own = value

    def complete(self, own: list[Any]) -> list[Any]:
        raise NotImplementedError


class BuildCommand(_LateCommand):
    """`suite build`, with the options of all kinds."""

    def complete(self, own: list[Any]) -> list[Any]:
        own[0].help = f"World kind: {_either(kinds())}."
        place = next(number for number, each in enumerate(own) if each.name == "index")
        return [*own[:place], *_kind_options(), *own[place:]]


class ImportCommand(_LateCommand):
    """`suite import`, with the names of all published systems."""

    def complete(self, own: list[Any]) -> list[Any]:
        own[0].help = f"Published system: {_either(systems())}."
        return own


def given_options(context: typer.Context) -> dict[str, Any]:
    """The options of kinds that were given to the command that runs."""
    return dict(context.meta.get(_GIVEN, {}))


def _kind_options() -> list[Any]:
    """One option for each further setting of a kind's builds; with the help of all that have it."""
    found: dict[str, FieldInfo] = {}
    help_of: dict[str, list[str]] = defaultdict(list)
    for kind in kinds():
        for name, field in _fields(kind).items():
            found.setdefault(name, field)
            if field.description and field.description not in help_of[name]:
                help_of[name].append(field.description)

    def spelled(**_: Any) -> None: ...

    options = {name: _option(field, name, " ".join(help_of[name])) for name, field in found.items()}
    spelled.__annotations__ = options
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, keyword, default=None, annotation=annotation)
        for name, annotation in options.items()
    ]
    spelled.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False)
    app.command()(spelled)
    return list(typer.main.get_command(app).params)


def _fields(kind: str) -> dict[str, FieldInfo]:
    from worksmith.evals.task_kind import suite_builder

    fields: dict[str, FieldInfo] = suite_builder(kind).options.model_fields
    return {name: field for name, field in fields.items() if name not in _SHARED}


def _option(field: FieldInfo, name: str, said: str) -> Any:
    """The annotation of a parameter that spells a setting."""
    annotation: Any = field.annotation
    choices = [str(each) for each in typing.get_args(annotation) if each is not type(None)]
    literal = typing.get_origin(annotation) is typing.Literal
    bounds = {
        limit: getattr(each, attribute)
        for each in field.metadata
        for limit, attribute in (("min", "ge"), ("max", "le"))
        if hasattr(each, attribute)
    }
    option = typer.Option(
        _flag(name),
        help=said,
        show_default=False if field.default is None else str(field.default),
        autocompletion=(lambda: choices) if literal else None,
        callback=_keep,
        expose_value=False,
        **bounds,
    )
    return Annotated[str | None if literal else annotation | None, option]


def _keep(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    if value is not None:
        context.meta.setdefault(_GIVEN, {})[parameter.name] = value
    return value


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _either(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
