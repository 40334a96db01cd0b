"""Explanations of the roles of a CRM: what one may read, what is hidden, which functions are denied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from tools.access.predicates import OPERATIONS
from tools.errors import InputError
from tools.kinds.crm.access.policy import CrmPolicy, function_needs
from tools.kinds.crm.ids import canonical
from tools.kinds.crm.schema import OBJECTS
from tools.policy import Decision
from tools.sqlite.schema import quoted
from tools.tool_context import ToolContext

_READ_ONLY = "The tools of a CRM only read."


@dataclass(frozen=True)
class ObjectRights:
    """What a role may do with the records of an object.

    Attributes:
        operations: a decision for each operation; it holds for all records alike.
        readable: records that the role may read, of `total`.
        hidden: fields that there are not for the role.
        functions: a decision for each function that reads the object.
    """

    source: str
    operations: dict[str, Decision]
    readable: int
    total: int
    hidden: tuple[str, ...]
    functions: dict[str, Decision]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RecordRights:
    """What a role may do with one record: a decision for each operation on what is there."""

    record: str
    decisions: dict[str, Decision]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def explain_object(ctx: ToolContext, name: str, operations: Iterable[str] = OPERATIONS) -> ObjectRights:
    """What the role of `context` may do with the object `name`.

    Raises:
        InputError: there is no such object.
    """
    policy, role = _policy(ctx), ctx.persona.id
    given = policy.document.roles.get(role)
    decisions = {operation: _decision(policy, ctx, name, operation) for operation in operations}
    total = int(ctx.values(f"SELECT count(*) FROM main.{quoted(name)}")[0])
    return ObjectRights(
        source=name,
        operations=decisions,
        readable=total if _decision(policy, ctx, name, "read").allow else 0,
        total=total,
        hidden=tuple(given.hidden.get(name, ())) if given else (),
        functions=function_rights(ctx, name),
    )


def explain_record(
    ctx: ToolContext, name: str, key: str, operations: Iterable[str] = OPERATIONS
) -> RecordRights:
    """What the role of `context` may do with one record, by its id.

    Raises:
        InputError: there is no such object or record.
    """
    policy = _policy(ctx)
    decisions = {
        operation: _decision(policy, ctx, name, operation)
        for operation in operations
        if operation != "create"
    }
    sql = f"SELECT count(*) FROM main.{quoted(name)} WHERE Id = ?"
    if not ctx.values(sql, (canonical(key) or key,))[0]:
        raise InputError(f"no record {key!r} in {name}")
    return RecordRights(f"{name}/{canonical(key) or key}", decisions)


def function_rights(ctx: ToolContext, name: str | None = None) -> dict[str, Decision]:
    """A decision for each function, or each that reads the object `name`."""
    policy = _policy(ctx)
    return {
        function: policy.decide(ctx.persona, f"functions.{function}", {})
        for function, needs in function_needs().items()
        if name is None or name in needs
    }


def _decision(policy: CrmPolicy, ctx: ToolContext, name: str, operation: str) -> Decision:
    if name not in OBJECTS:
        raise InputError(f"no object {name!r}", hint=f"there are {', '.join(OBJECTS)}")
    if operation != "read":
        return Decision(False, "read-only", _READ_ONLY)
    role = ctx.persona.id
    return Decision(policy.schema_for(role).object(name) is not None, f"role {role}")


def _policy(ctx: ToolContext) -> CrmPolicy:
    if not isinstance(ctx.policy, CrmPolicy):
        raise InputError("this kind of world has no roles")
    return ctx.policy
