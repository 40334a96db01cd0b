"""`worksmith access`: explain and check the access rules of a world."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.choices import personas, sources, world_kinds
from worksmith.cli.command import Commands
from worksmith.cli.options import JsonFlag, SuiteArgument

if TYPE_CHECKING:
    from worksmith.tools.access.document import PolicyDocument
    from worksmith.tools.world_kind import Explanation

app = Commands(help="Explain and check access rules.", no_args_is_help=True)

_OPERATIONS = ["create", "read", "update", "delete"]


@app.command("check")
def check(
    suite: SuiteArgument,
    persona: Annotated[str, typer.Option("--as", help="Persona: an id, or a role.", autocompletion=personas)],
    source: Annotated[
        str | None,
        typer.Option(help="One source, such as a table.", show_default="all", autocompletion=sources),
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option(
            help="create, read, update or delete.", show_default="all", autocompletion=lambda: _OPERATIONS
        ),
    ] = None,
    record: Annotated[str | None, typer.Option(help="Key of one record of the source.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Explain the rights of a persona, with the rules behind them. The suite needs only a world, no tasks."""
    from worksmith.jobs.access import AccessRights, access_rights, open_environment

    operations = _operations(operation)
    env = open_environment(suite)
    found = access_rights(env, persona, source=source, operations=operations, record=record)
    if not isinstance(found, AccessRights):
        _tell(found, as_json)
    elif as_json:
        typer.echo(json.dumps(found.to_json()))
    else:
        typer.echo(str(found))


@app.command("validate")
def validate(
    file: Annotated[Path, typer.Argument(help="Policy file (JSON).", dir_okay=False)],
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kind of world that the policy is for.",
            autocompletion=world_kinds,
            show_default="that of the world beside the file, else the one with departments",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check a policy file; an error is reported with its place in the file."""
    from worksmith.tools.access.checks import Surroundings
    from worksmith.tools.access.reading import read_document
    from worksmith.tools.world_kind import world_kind

    world = world_kind(_kind_beside(file) if kind is None else kind)
    if world.check_policy is not None:
        _tell(world.check_policy(file), as_json)
        return
    tools = frozenset(tool.name for toolkit in world.toolkits for tool in toolkit.tools)
    document = read_document(file, Surroundings({table.name: table for table in world.tables}, tools))
    facts = _facts(document, tools, [table.name for table in world.tables])
    facts["departments_unknown"] = _strangers(document, world.departments) if world.departments else []
    if as_json:
        typer.echo(json.dumps(facts))
        return
    typer.echo(f"{file}: valid, {facts['rules']} rules for {facts['sources']} sources")
    for what in ("tools_denied", "sources_denied"):
        if facts[what]:
            typer.echo(f"{what.replace('_', ' ')} to everybody, not mentioned: {', '.join(facts[what])}")
    if facts["departments_unknown"]:
        known = ", ".join(world.departments)
        listed = "; ".join(facts["departments_unknown"])
        typer.echo(f"these departments are empty, unless the world has others than {known}: {listed}")


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of policy files, by which editors complete and check them."""
    from worksmith.tools.access.document import PolicyDocument

    typer.echo(json.dumps(PolicyDocument.model_json_schema(), indent=2))


def _tell(found: Explanation, as_json: bool) -> None:
    typer.echo(json.dumps(found.data) if as_json else found.text)


def _kind_beside(file: Path) -> str:
    """The kind of the world in the file's folder; without one, the first kind that has departments."""
    from worksmith.tools.world import MANIFEST_FILE, World
    from worksmith.tools.world_kind import WORLD_KINDS

    if (file.parent / MANIFEST_FILE).is_file():
        return World.open(file.parent).manifest.kind
    kinds = WORLD_KINDS.all()
    return next((kind.name for kind in kinds if kind.departments), kinds[0].name)


def _facts(document: PolicyDocument, tools: frozenset[str], sources: list[str]) -> dict[str, Any]:
    return {
        "valid": True,
        "sources": len(document.sources),
        "rules": sum(len(source.rules) + bool(source.private) for source in document.sources.values()),
        "tools_denied": sorted(tools - set(document.tools)),
        "sources_denied": [name for name in sources if name not in document.sources],
    }


def _strangers(document: PolicyDocument, departments: Collection[str]) -> list[str]:
    """Codes that are neither a department nor a group, each with its place; no person has them."""
    known = {*departments, *document.groups}
    named = [(f"groups.{group}", code) for group, codes in document.groups.items() for code in codes]
    strangers = [f"{code} in {place}" for place, code in named if code not in departments]
    for source, rules in document.model_dump(mode="json", by_alias=True)["sources"].items():
        strangers += [
            f"{code} in sources.{source}.{place}" for place, code in _codes(rules) if code not in known
        ]
    return strangers


def _codes(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The codes that predicates name, each with its place."""
    if isinstance(data, dict):
        for key, value in data.items():
            inner = f"{place}.{key}" if place else key
            yield from ((inner, code) for code in value) if key == "department" else _codes(value, inner)
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield from _codes(item, f"{place}[{number}]")


def _operations(operation: str | None) -> list[str]:
    from worksmith.tools.access.predicates import OPERATIONS
    from worksmith.tools.errors import unknown

    if operation is None:
        return list(OPERATIONS)
    if operation not in OPERATIONS:
        raise unknown("no operation", operation, OPERATIONS, "--operation")
    return [operation]
