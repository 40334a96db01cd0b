"""World kinds: what a world of one kind is made of, and the registry of them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache

from tools.errors import InputError
from tools.policy import Policy
from tools.schema import Table
from tools.toolkit import Toolkit

_REGISTRY = {"office": "tools.office.kind:OFFICE"}


@dataclass(frozen=True)
class WorldKind:
    """Everything the core needs to know about one kind of world.

    Attributes:
        tables: its schema.
        toolkits: in the order in which prompts list them.
        shared_toolkits: names of toolkits that every task gets whatever its domains.
        house_rules: the conventions an agent has to know, as prompt text.
    """

    name: str
    tables: tuple[Table, ...]
    toolkits: tuple[Toolkit, ...]
    shared_toolkits: tuple[str, ...]
    policy: Policy
    house_rules: str


def kind_names() -> tuple[str, ...]:
    """The kinds there are."""
    return tuple(_REGISTRY)


@cache
def world_kind(name: str) -> WorldKind:
    """The kind called `name`.

    Raises:
        InputError: if there is none.
    """
    if name not in _REGISTRY:
        raise InputError(f"no world kind {name!r}", hint=f"there are {', '.join(_REGISTRY)}")
    module, _, attribute = _REGISTRY[name].partition(":")
    kind = getattr(importlib.import_module(module), attribute)
    assert isinstance(kind, WorldKind)
    return kind
