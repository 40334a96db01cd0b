"""Explanations of a role's rights, and of a document of roles, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tools.kinds.crm.access.explain import ObjectRights, explain_object, explain_record, function_rights
from tools.kinds.crm.access.roles import read_roles
from tools.kinds.crm.schema import OBJECTS
from tools.policy import Decision
from tools.tool_context import ToolContext
from tools.world_kind import Explanation


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
