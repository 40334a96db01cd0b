"""Access decisions. A policy is asked before every call and sees every result before the agent does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tools.persona import Persona


@dataclass(frozen=True, slots=True)
class Decision:
    """Allow or deny, and by which rule.

    Attributes:
        reason: a sentence for the persona; says nothing about any record's content.
    """

    allow: bool
    rule: str
    reason: str = ""


class Policy(Protocol):
    """The access rules of a world."""

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        """May `persona` make this call? Deny by default."""
        ...

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        """`value` without what `persona` may not read."""
        ...
