"""Explanations of personas' rights: of one role, and of a document of roles, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import CrmPolicy, function_needs
from worksmith.tools.kinds.crm.access.roles import read_roles
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.schema import quoted
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world_kind import Explanation


def explain_role(
    ctx: ToolContext, source: str | None, operations: Sequence[str], record: str | None
) -> Explanation:
    """The readable objects of a role, its hidden fields, and its denied functions.

    Raises:
        InputError: the object or record is unknown, or the world has no roles.
    """
    if not isinstance(ctx.policy, CrmPolicy):
        raise InputError("this kind of world has no roles")
    policy = ctx.policy
    rights = [_of_object(ctx, policy, name, operations) for name in ([source] if source else OBJECTS)]
    one = _of_record(ctx, policy, source, record, operations) if source and record is not None else None
    functions = _functions(ctx, policy, source)
    data = {
        "persona": ctx.persona.model_dump(),
        "sources": rights,
        "functions": _plain(functions),
        **({"record": {"record": one[0], "decisions": _plain(one[1])}} if one else {}),
    }
    lines = [f"{ctx.persona.id}, {ctx.persona.name}", ""]
    lines += [_object_line(each) for each in rights if "read" in operations]
    lines += _function_lines(functions)
    if one:
        lines += ["", one[0], *(f"  {name:<7} {_verdict(decision)}" for name, decision in one[1].items())]
    if [*operations] != ["read"]:
        lines += ["", "Nothing is created, updated or deleted by any role: the tools of a CRM only read."]
    return Explanation(data, "\n".join(lines))


Decisions = dict[str, Decision]


def _of_object(ctx: ToolContext, policy: CrmPolicy, name: str, operations: Sequence[str]) -> dict[str, Any]:
    """The rights of a role on the records of an object; a decision holds for all of them alike."""
    given = policy.document.roles.get(ctx.persona.id)
    decisions = {operation: _decision(policy, ctx, name, operation) for operation in operations}
    total = int(ctx.values(f"SELECT count(*) FROM main.{quoted(name)}")[0])
    return {
        "source": name,
        "operations": _plain(decisions),
        "readable": total if _decision(policy, ctx, name, "read").allow else 0,
        "total": total,
        "hidden": tuple(given.hidden.get(name, ())) if given else (),
        "functions": _plain(_functions(ctx, policy, name)),
    }


def _of_record(
    ctx: ToolContext, policy: CrmPolicy, name: str, key: str, operations: Sequence[str]
) -> tuple[str, Decisions]:
    there = [operation for operation in operations if operation != "create"]
    decisions = {operation: _decision(policy, ctx, name, operation) for operation in there}
    record_id = canonical(key) or key
    if not ctx.values(f"SELECT count(*) FROM main.{quoted(name)} WHERE Id = ?", (record_id,))[0]:
        raise InputError(f"no record {key!r} in {name}")
    return f"{name}/{record_id}", decisions


def _functions(ctx: ToolContext, policy: CrmPolicy, name: str | None) -> Decisions:
    """A decision for each function, or each that reads the object `name`."""
    return {
        function: policy.decide(ctx.persona, f"functions.{function}", {})
        for function, needs in function_needs().items()
        if name is None or name in needs
    }


def _decision(policy: CrmPolicy, ctx: ToolContext, name: str, operation: str) -> Decision:
    if name not in OBJECTS:
        raise InputError(f"no object {name!r}", hint=f"there are {', '.join(OBJECTS)}")
    if operation != "read":
        return Decision(False, "read-only", "The tools of a CRM only read.")
    role = ctx.persona.id
    return Decision(policy.schema_for(role).object(name) is not None, f"role {role}")


def _plain(decisions: Decisions) -> dict[str, dict[str, Any]]:
    return {name: asdict(decision) for name, decision in decisions.items()}


def check_roles(file: Path) -> Explanation:
    """Check a document of roles, the access rules of a CRM.

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


def _object_line(rights: dict[str, Any]) -> str:
    hidden = f", but not {', '.join(rights['hidden'])}" if rights["hidden"] else ""
    return f"{rights['source']}: may read {rights['readable']} of {rights['total']} records{hidden}"


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
