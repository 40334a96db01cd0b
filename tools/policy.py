"""Access decisions. A policy is asked before every call and sees every result before the agent does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import apsw

from worksmith.tools.errors import ToolError
from worksmith.tools.persona import Persona

_PRIVATE = "#private"


def private_part(reference: str) -> str:
    """The reference (`source/key`) that means the private fields of a record as well.

    The mark stands behind the source, whose name is an identifier; a key may be any text.
    """
    source, _, key = reference.partition("/")
    return f"{source}{_PRIVATE}/{key}"


def parted(reference: str) -> tuple[str, str, bool]:
    """Source and key of a reference, and whether private fields are meant as well."""
    source, _, key = reference.partition("/")
    return source.removesuffix(_PRIVATE), key, source.endswith(_PRIVATE)


DENIED = "@denied"
"""The reference for the subject of a denied call.

No persona may read it: the denial of a call reveals that the named record exists.
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """Allow or deny, and by which rule.

    Attributes:
        reason: a sentence for the persona; it reveals no record's content.
    """

    allow: bool
    rule: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The opinion of an agent's checker on a call before it was made. It is measured, it never enforces.

    Attributes:
        allow: its verdict; None if it was unreadable.
        truth: the policy's decision or, for a call that the agent did not make, its hypothetical decision;
            None without one.
    """

    allow: bool | None
    reason: str = ""
    truth: Decision | None = None


class AccessDeniedError(ToolError):
    """A call met a record that its persona may not read or change; the decision names the rule."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(denial_text(decision))
        self.decision = decision


def denial_text(decision: Decision) -> str:
    """A denial as the agent sees it: nothing about any record."""
    return f"Access denied ({decision.rule}). {decision.reason}".rstrip()


class Policy(Protocol):
    """The access rules of a world.

    Attributes:
        digest: content address of the rules.
    """

    @property
    def digest(self) -> str:
        """Content address of the rules."""
        ...

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        """May `persona` make this call at all? Deny by default.

        Where it depends on the record, the tool asks again with the record, before it shows or changes
        anything, and raises `AccessDeniedError`.
        """
        ...

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        """The references (see `ToolContext.reads`) that `persona` may not read or that are unknown."""
        ...

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        """`value` without the parts that `persona` may not read."""
        ...


class Unrestricted:
    """The rules of a world without secrets: every call may be made, and everything be read."""

    digest = ""

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        return Decision(True, "unrestricted")

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        return frozenset()

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        return value
