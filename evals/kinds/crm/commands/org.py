"""`worksmith org`: look at a live org, and move a generated world to one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.evals.kinds.crm.commands.options import JsonFlag, SuiteArgument, crm_world, say

if TYPE_CHECKING:
    from worksmith.tools.kinds.crm.live.ids import IdFile
    from worksmith.tools.kinds.crm.live.org import SalesforceOrg
    from worksmith.tools.kinds.crm.live.plan import UploadPlan
    from worksmith.tools.kinds.crm.live.target import Target
    from worksmith.tools.kinds.crm.live.upload import Step
    from worksmith.tools.world import World

app = typer.Typer(
    help="Check the live Salesforce org named by the SALESFORCE_ variables, and move a world to it.",
    no_args_is_help=True,
)

_MOST = 10_000_000
"""Records of a result; more than any org that a world is moved to has."""


@app.command("check")
def check(as_json: JsonFlag = False) -> None:
    """Log in to the org and report its objects and fields for agents. Only reads."""
    org = _org()
    found = [_looked_at(org, name) for name in _objects()]
    if as_json:
        typer.echo(json.dumps({"org": org.host, "objects": found}))
    else:
        _show(f"{org}", ["object", "records", "missing fields"], [_checked_row(each) for each in found])
    if any(each["missing"] or each["absent"] for each in found):
        raise typer.Exit(1)


@app.command("export")
def export(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Argument(help="SQLite file to write.", dir_okay=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write a suite's records to an SQLite file: a table for each object, a column for each field.

    `worksmith suite import crmarena ... --org FILE` reads such files.
    """
    from worksmith.tools.files.atomic import check_free
    from worksmith.tools.kinds.crm.org_file import write_org

    check_free(out, force=force)
    counts = write_org(crm_world(suite), out)
    if as_json:
        typer.echo(json.dumps({"file": str(out), "records": counts}))
    else:
        say(f"{sum(counts.values()):,} records of {len(counts)} objects in {out}")


@app.command("upload")
def upload(
    suite: SuiteArgument,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print records to create, losses and gaps; write nothing.")
    ] = False,
    ids: Annotated[
        Path,
        typer.Option(
            help="File that maps the world's ids to the org's, for --resume and --org-ids.", dir_okay=False
        ),
    ] = Path("org-ids.jsonl"),
    resume: Annotated[bool, typer.Option("--resume", help="Continue a stopped upload.")] = False,
    constants: Annotated[
        list[str] | None,
        typer.Option("--set", help="Object.Field=VALUE for all new records, such as User.ProfileId=00e..."),
    ] = None,
    allow_losses: Annotated[
        bool, typer.Option("--allow-losses", help="Continue if the org rejects some fields.")
    ] = False,
    into_used: Annotated[
        bool, typer.Option("--into-used", help="Continue if the org has records; they stay unchanged.")
    ] = False,
    batch: Annotated[int, typer.Option(min=1, max=200, help="Records of one request.")] = 200,
    as_json: JsonFlag = False,
) -> None:
    """Move a suite's generated world to an empty org. It only adds records and never changes the org's own.

    Obstacles are reported first, with or without --dry-run.
    """
    from worksmith.tools.errors import InfrastructureError
    from worksmith.tools.kinds.crm.live.plan import make_plan
    from worksmith.tools.kinds.crm.live.target import Target

    given = _constants(constants or [])
    if not dry_run:
        _check_file(ids, resume)
    world = crm_world(suite)
    target = Target(_org())
    plan = make_plan(world, target, given)
    if not as_json:
        _show_plan(target, plan)
    obstacles = plan.obstacles(despite_losses=allow_losses, despite_records=into_used or resume)
    if dry_run:
        _report_dry_run(target, plan, obstacles, as_json)
        return
    _refuse(target, obstacles)
    file = _id_file(ids, world, target, resume)
    try:
        counts = _moved(plan, target, file, batch)
    except InfrastructureError as error:
        raise InfrastructureError(f"{error}; the same command with --resume goes on") from error
    if as_json:
        typer.echo(json.dumps({"org": target.host, "ids": str(ids), "records": counts}))
    else:
        say(f"The org has {sum(counts.values()):,} records of the world; {ids} says which")


def _org() -> SalesforceOrg:
    from worksmith.tools.kinds.crm.live.org import SalesforceOrg
    from worksmith.tools.kinds.crm.soql.soql_engine import Limits

    return SalesforceOrg.from_env(limits=Limits(rows=_MOST))


def _objects() -> list[str]:
    from worksmith.tools.kinds.crm.schema import OBJECTS

    return list(OBJECTS)


def _looked_at(org: SalesforceOrg, name: str) -> dict[str, Any]:
    """An org's facts about one object."""
    from worksmith.tools.kinds.crm.schema import OBJECTS

    described = org.describe(name)
    if described is None:
        return {"object": name, "absent": True, "records": 0, "missing": []}
    known = {field["name"] for field in described["fields"]}
    missing = [field for field in OBJECTS[name].columns if field not in known]
    records = org.query(f"SELECT COUNT() FROM {name}").total_size
    return {"object": name, "absent": False, "records": records, "missing": missing}


def _checked_row(found: dict[str, Any]) -> list[str]:
    missing = "all: the org has no such object" if found["absent"] else ", ".join(found["missing"])
    return [found["object"], f"{found['records']:,}", missing]


def _constants(given: Sequence[str]) -> dict[str, dict[str, str]]:
    from worksmith.tools.errors import InputError

    found: dict[str, dict[str, str]] = {}
    for text in given:
        path, equals, value = text.partition("=")
        name, dot, field = path.partition(".")
        if not (equals and dot and name and field and value):
            raise InputError(f"{text!r} is not Object.Field=VALUE", where="--set")
        found.setdefault(name, {})[field] = value
    return found


def _show_plan(target: Target, plan: UploadPlan) -> None:
    rows = []
    for each in plan.objects:
        remarks = [f"{name} {why}" for name, why in {**each.lost, **each.left}.items()]
        if each.matched:
            remarks.append(f"{len(each.matched):,} that the org has or makes itself")
        rows.append(
            [each.name, f"{len(each.rows):,}", f"{each.already:,}", str(each.requests), "; ".join(remarks)]
        )
    _show(f"To {target.org}:", ["object", "to make", "already there", "requests", "remarks"], rows)


def _report_dry_run(target: Target, plan: UploadPlan, obstacles: Sequence[str], as_json: bool) -> None:
    """Report a dry run; obstacles make it fail."""
    if as_json:
        objects = [each.to_json() for each in plan.objects]
        typer.echo(json.dumps({"org": target.host, "objects": objects, "obstacles": list(obstacles)}))
    else:
        say("Nothing was written." + ("" if obstacles else " Nothing stands against it."))
        for each in obstacles:
            say(f"- {each}")
    if obstacles:
        raise typer.Exit(1)


def _refuse(target: Target, obstacles: Sequence[str]) -> None:
    from worksmith.tools.errors import InputError

    if obstacles:
        listed = "".join(f"\n- {each}" for each in obstacles)
        raise InputError(f"the world cannot be moved as it is:{listed}", where=target.host)


def _check_file(path: Path, resume: bool) -> None:
    """Check that the file of ids exists exactly for a resumed upload."""
    from worksmith.tools.errors import InputError

    if path.exists() and not resume:
        hint = "--resume goes on with it; another --ids begins anew"
        raise InputError("there is an upload already", where=str(path), hint=hint)
    if resume and not path.exists():
        raise InputError("there is no upload to go on with", where=str(path))


def _id_file(path: Path, world: World, target: Target, resume: bool) -> IdFile:
    from worksmith.tools.kinds.crm.live.ids import IdFile
    from worksmith.tools.kinds.crm.live.upload import check_file

    digest = world.manifest.digest
    if not resume:
        return IdFile.new(path, digest, target.host)
    file = IdFile.read(path)
    check_file(file, digest, target.host)
    return file


def _moved(plan: UploadPlan, target: Target, file: IdFile, batch: int) -> dict[str, int]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from worksmith.tools.kinds.crm.live.upload import Upload

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        line = bar.add_task("", total=None)

        def show(step: Step) -> None:
            bar.update(line, description=step.object, completed=step.done, total=step.total)

        return Upload(plan, target, file, batch=batch, progress=show).run()


def _show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, title=escape(title), title_justify="left")
    for column in head:
        table.add_column(column, justify="right" if column in ("records", "requests", "to make") else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)
