"""What `worksmith access` says of worlds whose access rules are roles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tools.kinds.crm.access.explain import ObjectRights
    from tools.policy import Decision
    from tools.tool_context import ToolContext


def check_role(
    ctx: ToolContext, source: str | None, operations: Sequence[str], record: str | None, as_json: bool
) -> None:
    """Explain what a role may read, what is hidden from it, and which functions it is denied."""
    from tools.kinds.crm.access.explain import explain_object, explain_record, function_rights
    from tools.kinds.crm.schema import OBJECTS

    rights = [explain_object(ctx, name, operations) for name in ([source] if source else OBJECTS)]
    one = explain_record(ctx, source, record, operations) if source and record is not None else None
    functions = function_rights(ctx, source)
    if as_json:
        document = {
            "persona": ctx.persona.model_dump(),
            "sources": [each.to_json() for each in rights],
            "functions": {name: _data(decision) for name, decision in functions.items()},
        }
        typer.echo(json.dumps(document | ({"record": one.to_json()} if one else {})))
        return
    typer.echo(f"{ctx.persona.id}, {ctx.persona.name}\n")
    for each in rights:
        _show_object(each, operations)
    _show_functions(functions)
    if one:
        typer.echo(f"\n{one.record}")
        for operation, decision in one.decisions.items():
            typer.echo(f"  {operation:<7} {_verdict(decision)}")
    if [*operations] != ["read"]:
        typer.echo("\nNothing is created, updated or deleted by any role: the tools of a CRM only read.")


def validate_roles(file: Path, as_json: bool) -> None:
    """Check a document of roles, which is what says in a CRM who may read what."""
    from tools.kinds.crm.access.roles import read_roles

    roles = read_roles(file).roles
    if as_json:
        facts = {name: {"objects": len(r.objects), "fields_hidden": r.hidden} for name, r in roles.items()}
        typer.echo(json.dumps({"valid": True, "roles": facts}))
        return
    typer.echo(f"{file}: valid, {len(roles)} roles")
    for name, role in roles.items():
        hidden = "; ".join(f"{each}: {', '.join(fields)}" for each, fields in role.hidden.items())
        typer.echo(f"{name} may read {len(role.objects)} objects{f', but not {hidden}' if hidden else ''}")


def _show_object(rights: ObjectRights, operations: Sequence[str]) -> None:
    if "read" not in operations:
        return
    hidden = f", but not {', '.join(rights.hidden)}" if rights.hidden else ""
    typer.echo(f"{rights.source}: may read {rights.readable} of {rights.total} records{hidden}")


def _show_functions(functions: Mapping[str, Decision]) -> None:
    allowed = [name for name, decision in functions.items() if decision.allow]
    typer.echo(f"\nfunctions: may call {len(allowed)} of {len(functions)}")
    if allowed:
        typer.echo(f"  allowed: {', '.join(allowed)}")
    for decision in functions.values():
        if not decision.allow:
            typer.echo(f"  denied: {decision.reason}")


def _verdict(decision: Decision) -> str:
    return f"yes, by {decision.rule}" if decision.allow else f"no ({decision.rule})"


def _data(decision: Decision) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(decision)
