"""How the suites of each world kind are generated, and which published systems can be imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

from evals.suite import Suite
from tools.errors import InputError

_BUILDERS = {"office": "evals.office.suites:build_office"}
_IMPORTERS = {"workbench": "evals.office.suites:import_workbench"}

Progress = Callable[[str], None]
"""Told, in a few words, what is being done."""


class Builder(Protocol):
    """Generates a suite."""

    def __call__(self, out: Path, *, seed: int, scale: float, per_intent: int, progress: Progress) -> Suite:
        """Write it to `out`."""
        ...


class Importer(Protocol):
    """Reads a published system's files into a suite."""

    def __call__(self, source: Path, out: Path, *, progress: Progress) -> Suite:
        """Read `source`, write the suite to `out`."""
        ...


def kind_names() -> tuple[str, ...]:
    """The kinds that can be generated."""
    return tuple(_BUILDERS)


def importer_names() -> tuple[str, ...]:
    """The published systems that can be imported."""
    return tuple(_IMPORTERS)


def builder(kind: str) -> Builder:
    """The generator of suites of `kind`.

    Raises:
        InputError: if there is no such kind.
    """
    return cast(Builder, _load(_BUILDERS, kind, "suite kind"))


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
