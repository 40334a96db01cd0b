"""The base of all settings, and how a setting is declared."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.numbers import scalar

Other = TypeVar("Other", bound="JobSettings")


@dataclass(frozen=True)
class Traits:
    """The traits of a setting other than its name, type, default and help text.

    Attributes:
        flag: the option, where it is not made from the field's name.
        short: the short form of the option, such as `-o`.
        metavar: the placeholder of the value in help.
        unset: the default in words, where the job computes it.
        path: `file` or `folder`, for a path that must be one.
        variable: the environment variable that sets it.
        positional: whether it is an argument of the command.
        expert: whether few people need it; only `--help-all` shows it.
        recorded: whether a run's description contains it, because it can change the result.
        option: whether the command has an option for it.
    """

    flag: str = ""
    short: str = ""
    metavar: str | None = None
    unset: str = ""
    path: Literal["", "file", "folder"] = ""
    variable: str | None = None
    positional: bool = False
    expert: bool = False
    recorded: bool = True
    option: bool = True


def setting(
    default: Any,
    help: str,
    *,
    suggest: Sequence[str] = (),
    min: float | None = None,
    max: float | None = None,
    **traits: Any,
) -> Any:
    """Declare a field of settings.

    Args:
        default: `...` for a setting that must be given.
        suggest: values that a shell completes; those of a `Literal` need not be named.
        min, max: the limits of a number.
        traits: see `Traits`.
    """
    field = Field(default, description=help, examples=list(suggest), ge=min, le=max)
    field.metadata.append(Traits(**traits))
    return field


def _names(value: Any) -> Any:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    stripped = [part.strip() if isinstance(part, str) else part for part in parts]
    names = tuple(part for part in stripped if part != "")
    if not names or any(names.count(name) > 1 for name in names):
        raise ValueError("names must be given, each once")
    return names


Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""Several names, or one text in which they are separated by commas."""


def with_model_options(model: type[JobSettings], values: Any, name: str) -> Any:
    """The values of settings with those of `NAME_option` joined to the models of the field `NAME`.

    Raises:
        InputError: there are options, and no model is named.
    """
    from worksmith.models.named import with_options

    options = values.get(f"{name}_option") if isinstance(values, dict) else None
    if not options:
        return values
    if not isinstance(options, list | tuple) or not all(isinstance(each, str) for each in options):
        raise InputError("several values go in a list", where=f"--{name}-option", hint="e.g. temperature=0.2")
    field = model.model_fields[name]
    given = values.get(name, field.default)
    if not given:
        raise InputError("no model is named", where=f"--{name}-option", hint=f"give --{name}")
    each = given.split(",") if isinstance(given, str) and comma_separated(field) else given
    joined = (
        with_options(each, options)
        if isinstance(each, str)
        else tuple(with_options(one.strip(), options) for one in each)
    )
    return {**values, name: joined, f"{name}_option": ()}


def comma_separated(field: FieldInfo) -> bool:
    """Whether a field is declared as `Names`."""
    return any(isinstance(each, BeforeValidator) and each.func is _names for each in field.metadata)


class JobSettings(BaseModel):
    """The base of all settings. It takes keyword arguments; a wrong one is an `InputError`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    group: ClassVar[str] = ""
    """The heading of a class's settings in help."""

    def __init__(self, **values: Any) -> None:
        """Check the values.

        Raises:
            InputError: a value is wrong, missing or unknown; the first one is named.
        """
        try:
            super().__init__(**{name: scalar(value) for name, value in values.items()})
        except ValidationError as error:
            raise _explained(type(self), error) from error

    def described(self) -> dict[str, Any]:
        """The fields that can change the result as JSON-able data, without those left unset."""
        values = self.model_dump(mode="json")
        kept = [name for name, each in ordered_fields(type(self)).items() if traits_of(each).recorded]
        return {name: values[name] for name in kept if values[name] not in (None, [], "")}

    def words(self) -> list[str]:
        """The words of a command with these settings, as far as they can change the result."""
        found: list[str] = []
        for name, field in ordered_fields(type(self)).items():
            traits, value, option = traits_of(field), getattr(self, name), option_name(name, field)
            if value == field.default or not (traits.recorded and traits.option):
                continue
            if traits.positional:
                found.append(str(value))
            elif isinstance(value, bool):
                found.append(option if value else option.replace("--", "--no-", 1))
            else:
                several = isinstance(value, tuple) and not comma_separated(field)
                whole = ",".join(map(str, value)) if isinstance(value, tuple) else value
                found += [word for each in (value if several else [whole]) for word in (option, str(each))]
        return found

    def adapted(self, model: type[Other], **others: Any) -> Other:
        """The settings of another job, made from the fields that both have, and `others`.

        Raises:
            InputError: a value is wrong, missing or unknown.
        """
        shared = type(self).model_fields.keys() & model.model_fields.keys()
        return model(**{name: getattr(self, name) for name in shared} | others)


def ordered_fields(model: type[JobSettings]) -> dict[str, FieldInfo]:
    """The fields of a model in the order of help.

    Arguments come first, those of bases before its own. Then come its own options, and those of its bases in
    the order in which the bases are named.
    """
    fields = model.model_fields
    arguments = [name for name, field in fields.items() if traits_of(field).positional]
    names = dict.fromkeys([*arguments, *(name for cls in _classes(model) for name in cls.__annotations__)])
    return {name: fields[name] for name in names if name in fields}


def _classes(model: type[JobSettings]) -> list[type[JobSettings]]:
    return [cls for cls in model.__mro__ if issubclass(cls, JobSettings)]


def group_of(model: type[JobSettings], name: str) -> str:
    """The heading of a setting in help, that of the class which declares it; empty without one."""
    return next(
        str(vars(cls).get("group", "")) for cls in _classes(model) if name in inspect.get_annotations(cls)
    )


def traits_of(field: FieldInfo) -> Traits:
    """The traits with which a field was declared."""
    return next(each for each in field.metadata if isinstance(each, Traits))


def option_name(name: str, field: FieldInfo) -> str:
    """The option of a field, e.g. `--max-steps`."""
    return traits_of(field).flag or f"--{name.replace('_', '-')}"


def choices_of(field: FieldInfo) -> list[str]:
    """The values of a field of literals, or those that are suggested for it."""
    kind = bare_type(field.annotation)
    return [str(each) for each in get_args(kind)] if get_origin(kind) is Literal else field.examples or []


def bare_type(kind: Any) -> Any:
    """A type without `None`."""
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (each for each in get_args(kind) if each is not type(None))
    return kind


def _explained(model: type[JobSettings], error: ValidationError) -> InputError:
    """The first mistake as an `InputError`."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    field = model.model_fields.get(name)
    if field is None:
        return unknown(f"{model.__name__} has no setting", name, model.model_fields)
    where, said = option_name(name, field), first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        return InputError("a value is missing", where=where)
    if first["type"] == "literal_error":
        return unknown(f"no {name.replace('_', ' ')}", str(first["input"]), choices_of(field), where)
    if first["type"] == "tuple_type":
        return InputError("several values go in a list", where=where, hint=f"got {first['input']!r}")
    return InputError(said[:1].lower() + said[1:], where=where, hint=f"got {first['input']!r}")
