"""Explanations of personas' rights: of one role, and of a document of roles, as data and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worksmith.tools.access.predicates import OPERATIONS
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import CrmPolicy, function_needs
from worksmith.tools.kinds.crm.access.roles import read_roles
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.schema import quoted
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world_kind import Explanation

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


def explain_role(
    ctx: ToolContext, source: str | None, operations: Sequence[str], record: str | None
) -> Explanation:
    """What a role may read, what is hidden from it, and which functions it is denied."""
    rights = [explain_object(ctx, name, operations) for name in ([source] if source else OBJECTS)]
    one = explain_record(ctx, source, record, operations) if source and record is not None else None
    functions = function_rights(ctx, source)
    data = {
        "persona": ctx.persona.model_dump(),
        "sources": [each.to_json() for each in rights],
        "functions": {name: asdict(decision) for name, decision in functions.items()},
        **({"record": one.to_json()} if one else {}),
    }
    lines = [f"{ctx.persona.id}, {ctx.persona.name}", ""]
    lines += [_object_line(each) for each in rights if "read" in operations]
    lines += _function_lines(functions)
    if one:
        lines += ["", one.record]
        lines += [f"  {operation:<7} {_verdict(decision)}" for operation, decision in one.decisions.items()]
    if [*operations] != ["read"]:
        lines += ["", "Nothing is created, updated or deleted by any role: the tools of a CRM only read."]
    return Explanation(data, "\n".join(lines))


def check_roles(file: Path) -> Explanation:
    """Check a document of roles, which says in a CRM who may read what.

    Raises:
        InputError: it has a fault.
    """
    roles = read_roles(file).roles
    facts = {name: {"objects": len(r.objects), "fields_hidden": r.hidden} for name, r in roles.items()}
    lines = [f"{file}: valid, {len(roles)} roles"]
    for name, role in roles.items():
        hidden = "; ".join(f"{each}: {', '.join(fields)}" for each, fields in role.hidden.items())
        lines.append(f"{name} may read {len(role.objects)} objects{f', but not {hidden}' if hidden else ''}")
    return Explanation({"valid": True, "roles": facts}, "\n".join(lines))


def _object_line(rights: ObjectRights) -> str:
    hidden = f", but not {', '.join(rights.hidden)}" if rights.hidden else ""
    return f"{rights.source}: may read {rights.readable} of {rights.total} records{hidden}"


def _function_lines(functions: Mapping[str, Decision]) -> list[str]:
    allowed = [name for name, decision in functions.items() if decision.allow]
    return [
        "",
        f"functions: may call {len(allowed)} of {len(functions)}",
        *([f"  allowed: {', '.join(allowed)}"] if allowed else []),
        *(f"  denied: {decision.reason}" for decision in functions.values() if not decision.allow),
    ]


def _verdict(decision: Decision) -> str:
    return f"yes, by {decision.rule}" if decision.allow else f"no ({decision.rule})"
