"""Models of providers with their settings: from a project file, or given with a model's name."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from worksmith.evals.lm.named import GGUF
from worksmith.evals.lm.prices import Price
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files.json_files import validated

_NAMED: ContextVar[Mapping[str, NamedModel]] = ContextVar("named models", default={})  # noqa: B039 (read only)
_PRICES: ContextVar[Mapping[str, Price]] = ContextVar("prices of models", default={})  # noqa: B039 (read only)


def read_models(sections: Mapping[str, Mapping[str, Any]], *, where: str) -> dict[str, NamedModel]:
    """The models of a project file.

    Raises:
        InputError: a setting is unknown or wrong, a name looks like that of a provider's model or holds a
            space, a model has a name and a file, or two models of one provider's name have different prices.
    """
    found: dict[str, NamedModel] = {}
    for name, values in sections.items():
        place = f"{where}: models.{name}"
        if "/" in name or ":" in name:
            raise InputError(
                f"{name!r} looks like a provider's model", where=place, hint="choose a plain name"
            )
        if not name or any(character.isspace() or character == "," for character in name):
            raise InputError(f"{name!r} is not a name of a model", where=place, hint="choose one word")
        found[name] = _checked(_with_file(values, place), place)
        priced = [each for each in found.values() if each.model == found[name].model and each.price]
        if len({each.price for each in priced}) > 1:
            raise InputError(f"{found[name].model} has two prices", where=place, hint="give it one")
    return found


def use_models(models: Mapping[str, NamedModel]) -> None:
    """Define the meaning of model names in this context; no model has a price of its own yet."""
    _NAMED.set(models)
    _PRICES.set({})


def model_names() -> tuple[str, ...]:
    """The names in use."""
    return tuple(_NAMED.get())


def prices_of_models() -> Mapping[str, Price]:
    """The prices that models were opened with in this context, by the models' full names."""
    return _PRICES.get()


def use_price(model: str, price: Price) -> None:
    """Let a model, by its full name, have this price in this context from now on."""
    _PRICES.set({**_PRICES.get(), model: price})


def with_options(name: str, options: Sequence[str]) -> str:
    """The name of a model with settings, as `parted` takes it apart: `openai/gpt-4o-mini temperature=0.2`."""
    return " ".join([name, *map(shlex.quote, options)])


def parted(name: str) -> tuple[str, Mapping[str, str]]:
    """The name of a model and the settings given with it, such as `{"temperature": "0.2"}`.

    Raises:
        InputError: they do not have the form NAME=VALUE, each once.
    """
    try:
        model, *said = shlex.split(name) or [""]
    except ValueError as error:
        raise InputError(f"not the name of a model with settings: {error}", where=name) from error
    options: dict[str, str] = {}
    for each in said:
        option, equals, value = each.partition("=")
        if not equals or option in options:
            raise InputError(
                f"{option!r} is given twice" if equals else f"{each!r} is not a setting of a model",
                where=model,
                hint="e.g. temperature=0.2",
            )
        options[option] = value
    return model, options


def settings_of(model: str, options: Mapping[str, str] = {}) -> NamedModel:
    """The settings of a model: those of the project file if it is named there, and the given ones.

    Args:
        options: by name; `headers.NAME` is one of the headers.

    Raises:
        InputError: a setting is unknown or wrong.
    """
    named = _NAMED.get().get(model)
    if named is not None and not options:
        return named
    values: dict[str, Any] = {"model": model} if named is None else named.model_dump(exclude_none=True)
    for option, value in options.items():
        setting, _, header = option.partition(".")
        if setting == "model" or (header and setting != "headers"):
            raise _no_setting(option, model)
        values[setting] = {**values.get("headers", {}), header: value} if header else value
    return _checked(values, model)


def is_named(model: str) -> bool:
    """Whether the project file names a model so."""
    return model in _NAMED.get()


def _with_file(values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The settings of a model, which is `gguf:FILE` where they name a file."""
    if "file" not in values:
        return values
    if "model" in values:
        raise InputError("a model has a name and a file", where=where, hint="leave out model or file")
    rest = {setting: value for setting, value in values.items() if setting != "file"}
    return {**rest, "model": f"{GGUF}{values['file']}"}


def _checked(values: Mapping[str, Any], where: str) -> NamedModel:
    for setting in values:
        if setting not in NamedModel.model_fields:
            raise _no_setting(setting, where)
    return validated(values, NamedModel, "the settings of a model", where=where)


def _no_setting(name: str, where: str) -> InputError:
    return unknown("models have no setting", name, sorted(NamedModel.model_fields.keys() - {"model"}), where)
