"""What the platform asks for in a new record and what it fills in itself; `rules.toml` says for which."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from tools.kinds.crm.schema import OBJECTS, Field


@dataclass(frozen=True)
class Made:
    """How a value comes about that nobody sets; see the head of `rules.toml`."""

    by: Literal["number", "join", "equal", "product", "parent", "fixed", "id", "contact"]
    of: tuple[str, ...] = ()
    value: str = ""
    prefix: str = ""
    width: int = 0


@dataclass(frozen=True)
class Rules:
    """The rules of one object.

    Attributes:
        audit: see the head of `rules.toml`.
    """

    required: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    audit: tuple[str, ...] = ()
    made: Mapping[str, Made] = field(default_factory=dict)

    def writable(self, name: str, *, creating: bool, audit: bool) -> bool:
        """Whether a client may set a field.

        Args:
            audit: whether the org lets dates be set that are the system's own; only in a new record.
        """
        if name == "Id" or name in self.made:
            return False
        return name not in self.audit or (creating and audit)

    def given(self, field: Field) -> bool:
        """Whether every record has a value there although no client need give one."""
        return field.name == "Id" or field.name in self.defaults or field.name in self.made


@cache
def rules(name: str) -> Rules:
    """The rules of the object called `name`, exactly."""
    return _all()[name]


@cache
def _all() -> dict[str, Rules]:
    data = tomllib.loads(files("tools.kinds.crm.rest").joinpath("rules.toml").read_text(encoding="utf-8"))
    assert data.keys() == OBJECTS.keys()
    return {name: _rules(entry) for name, entry in data.items()}


def _rules(entry: dict[str, Any]) -> Rules:
    made = {name: _made(how) for name, how in entry.get("made", {}).items()}
    lists = {name: tuple(entry.get(name, ())) for name in ("required", "audit")}
    return Rules(lists["required"], entry.get("defaults", {}), lists["audit"], made)


def _made(how: dict[str, Any]) -> Made:
    of = how.get("of", ())
    return Made(**{**how, "of": (of,) if isinstance(of, str) else tuple(of)})
