"""Generated worlds for the tests, each built once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from tests.made_once import made_once
from worksmith.tools.kinds.enterprise.generate import Built, build
from worksmith.tools.kinds.enterprise.generate.draft import Hierarchy
from worksmith.tools.kinds.enterprise.generate.industry import packaged

Record = dict[str, str]

SMALL = 0.02


@cache
def small(seed: int = 7, hierarchy: Hierarchy = "paper") -> Built:
    """A world of the smallest usual size. Shared: tests do not change it."""
    return _kept(f"small-enterprise-{seed}-{hierarchy}", lambda: build(seed, SMALL, hierarchy))


@cache
def full() -> Built:
    """A world of the published system's size. Takes seconds."""
    return _kept("full-enterprise", lambda: build(7, 1.0))


def _kept(name: str, make: Callable[[], Built]) -> Built:
    """The same world in every process, of the one object that stands for its industry."""
    return replace(made_once(name, make), industry=packaged())


def records(built: Built, source: str) -> list[Record]:
    """The rows of a source, empty cells as empty texts."""
    return [{column: cell or "" for column, cell in row.items()} for row in built.records(source)]
