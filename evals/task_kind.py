"""How the suites of each world kind are generated, and which published systems can be imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from evals.suite import Suite
from tools.errors import InputError

_BUILDERS = {
    "office": "evals.kinds.office.suites:build_office",
    "enterprise": "evals.kinds.enterprise.suites:build_enterprise",
    "crm": "evals.kinds.crm.suites:build_crm",
}
_FORECASTS = {
    "office": "evals.kinds.office.suites:forecast_office",
    "enterprise": "evals.kinds.enterprise.suites:forecast_enterprise",
    "crm": "evals.kinds.crm.suites:forecast_crm",
}
_IMPORTERS = {
    "crmarena": "evals.kinds.crm.importing:import_crmarena",
    "workbench": "evals.kinds.office.suites:import_workbench",
    "enterprisebench": "evals.kinds.enterprise.published.importing:import_enterprisebench",
}

_MODES = {"crm": ("clean", "faithful")}

_TAKES = {"office": ("per_intent",), "enterprise": ("writer", "index"), "crm": ("mode",)}
"""What else than seed and scale the suites of a kind are generated from."""

Progress = Callable[[str], None]
"""Told, in a few words, what is being done."""


@dataclass(frozen=True)
class BuildOptions:
    """What a suite is generated from. The same options give the same suite.

    Attributes:
        scale: 1.0 is the size of the published system.
        per_intent: tasks for each intent, in kinds that count tasks so; None for the kind's own number.
        mode: by which rules answers are found, in kinds that have `modes`; None for the kind's first.
        writer: a model that rewrites task texts, in kinds that have such a writer.
        cache: where the writer's replies are kept, so that no text is paid for twice.
    """

    seed: int = 7
    scale: float = 1.0
    per_intent: int | None = None
    mode: str | None = None
    writer: Any = None
    cache: Path | None = None


class Builder(Protocol):
    """Generates a suite."""

    def __call__(self, out: Path, options: BuildOptions, *, progress: Progress) -> Suite:
        """Write it to `out`."""
        ...


class Forecast(Protocol):
    """Says what a build would take."""

    def __call__(self, options: BuildOptions) -> dict[str, int]:
        """`tasks` and `model_calls_at_most`."""
        ...


class Importer(Protocol):
    """Reads a published system's files into a suite."""

    def __call__(self, source: Path, out: Path, *, progress: Progress) -> Suite:
        """Read `source`, write the suite to `out`."""
        ...


def kind_names() -> tuple[str, ...]:
    """The kinds that can be generated."""
    return tuple(_BUILDERS)


def modes(kind: str) -> tuple[str, ...]:
    """The rules by which answers can be found in a kind, the usual ones first; none if there is no choice."""
    return _MODES.get(kind, ())


def checked_mode(kind: str, mode: str | None) -> str | None:
    """A mode of `kind`: the one that is named, or the usual one; None for kinds without modes.

    Raises:
        InputError: there is no such mode.
    """
    known = modes(kind)
    if mode is None or mode in known:
        return mode or next(iter(known), None)
    raise InputError(f"no mode {mode!r}", where="--mode", hint=f"there are {', '.join(known)}")


def check_options(kind: str, given: Mapping[str, object]) -> None:
    """See that a kind has a use for the options that are given, by name; None stands for not given.

    Raises:
        InputError: it has none for one of them.
    """
    for name, value in given.items():
        if value is not None and name not in _TAKES.get(kind, ()):
            takers = [other for other, takes in _TAKES.items() if name in takes]
            raise InputError(
                f"{kind} suites have no use for it",
                where=f"--{name.replace('_', '-')}",
                hint=f"leave it out; it is for {', '.join(takers)}",
            )


def importer_names() -> tuple[str, ...]:
    """The published systems that can be imported."""
    return tuple(_IMPORTERS)


def builder(kind: str) -> Builder:
    """The generator of suites of `kind`.

    Raises:
        InputError: if there is no such kind.
    """
    return cast(Builder, _load(_BUILDERS, kind, "suite kind"))


def forecast(kind: str, options: BuildOptions) -> dict[str, int]:
    """What building a suite of `kind` would take, without building it.

    Raises:
        InputError: if there is no such kind.
    """
    return cast(Forecast, _load(_FORECASTS, kind, "suite kind"))(options)


def importer(system: str) -> Importer:
    """The importer for the files of `system`.

    Raises:
        InputError: if there is none.
    """
    return cast(Importer, _load(_IMPORTERS, system, "importer"))


def _load(registry: dict[str, str], name: str, what: str) -> object:
    if name not in registry:
        raise InputError(f"no {what} {name!r}", hint=f"there are {', '.join(registry)}")
    module, _, attribute = registry[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
