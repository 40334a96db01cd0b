"""`worksmith suite`: build, import and describe suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from worksmith.cli.options import (
    JsonFlag,
    LimitOption,
    NoCacheFlag,
    SchemeOption,
    SeedOption,
    SplitOption,
    WhereOption,
    leave_out_cache,
    say,
)
from worksmith.cli.worlds.kind_options import (
    BuildCommand,
    ImportCommand,
    check_index,
    checked_options,
    given_options,
    kinds,
    systems,
)

app = typer.Typer(
    help="Build, import and describe suites (a world, its tasks, a manifest).", no_args_is_help=True
)

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Where to write the suite.", file_okay=False)]
ForceFlag = Annotated[bool, typer.Option("--force", help="Replace a suite that is already there.")]


WRITER_CACHE = Path("mlruns") / "writer"
"""Where the replies of `--writer` models are kept."""


@app.command("build", cls=BuildCommand)
def build(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(autocompletion=kinds)],
    out: OutOption,
    seed: SeedOption = 7,
    scale: Annotated[float, typer.Option(min=0.02, max=100, help="Size; 1.0 is the published size.")] = 1.0,
    index: Annotated[
        str | None,
        typer.Option(
            help="Embedding model for the search index, where tools search: minilm, static, none, or any "
            "sentence-transformers model by name.",
            show_default="minilm",
            autocompletion=lambda: ["minilm", "static", "none"],
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many tasks and model calls it would be, build nothing.")
    ] = False,
    force: ForceFlag = False,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Generate a world, its tasks and its search index. Seed and scale decide every byte but the index."""
    from evals.building import build_suite
    from evals.suite import Suite
    from evals.task_kind import suite_builder
    from tools.files.directories import directory_atomically
    from worksmith.cli.worlds.facts import describe
    from worksmith.models.resolve import resolve

    leave_out_cache(no_cache)
    options = checked_options(kind, {"seed": seed, "scale": scale, **given_options(context)})
    check_index(kind, index)
    if dry_run:
        forecast = suite_builder(kind).forecast(options)
        _show({"kind": kind, "seed": seed, "scale": scale, **forecast}, as_json)
        return
    _refuse_overwrite(out, force)
    embedder = index or "minilm"
    _check_embedder(embedder)
    with directory_atomically(out) as place:
        suite = build_suite(
            kind, place, progress=say, resolve=resolve, cache=WRITER_CACHE, **options.model_dump()
        )
        _index(suite, embedder)
    _show(describe(Suite.open(out)), as_json)


@app.command("import", cls=ImportCommand)
def import_(
    system: Annotated[str, typer.Argument(autocompletion=systems)],
    source: Annotated[Path, typer.Argument(help="Directory with the system's files.", file_okay=False)],
    out: OutOption,
    force: ForceFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Read a published system's own files into a suite."""
    from evals.building import import_suite
    from evals.task_kind import importer
    from worksmith.cli.worlds.facts import describe

    importer(system)
    _refuse_overwrite(out, force)
    suite = import_suite(system, source, out, progress=say)
    if suite.env.library is not None:
        say(f"search goes by words alone until `worksmith index {out}` has been run")
    _show(describe(suite), as_json)


@app.command("info")
def info(
    suite: Annotated[Path, typer.Argument(help="Suite directory.")],
    as_json: JsonFlag = False,
) -> None:
    """Describe a suite: its world, tasks, splits and digests."""
    from evals.suite import Suite
    from worksmith.cli.worlds.facts import describe

    _show(describe(Suite.open(suite)), as_json)


@app.command("tasks")
def tasks(
    suite: Annotated[Path, typer.Argument(help="Suite directory.")],
    split: SplitOption = None,
    scheme: SchemeOption = "standard",
    limit: LimitOption = None,
    where: WhereOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List tasks: their ids, who asks, and what."""
    from evals.suite import Suite
    from worksmith.jobs.session import choose_tasks

    _, chosen = choose_tasks(Suite.open(suite), split, scheme, limit, where)
    if as_json:
        listed = [task.model_dump(mode="json", include=_LISTED) for task in chosen]
        typer.echo(json.dumps(listed, ensure_ascii=False))
        return
    for task in chosen:
        who = f" ({task.persona.id})" if task.persona else ""
        typer.echo(f"{task.id}{who}: {task.query}")


_LISTED = {"id", "query", "split", "intent", "domains", "area", "type", "difficulty", "persona"}


def _check_embedder(name: str) -> None:
    """A model that has to be loaded by name is loaded first: a world takes minutes to build."""
    from retrievers.embedding import PACKAGED

    if name not in ("none", *PACKAGED):
        from retrievers.embedding.models import open_embedder

        open_embedder(name)


def _index(suite: Any, embedder: str) -> None:
    """Index the suite's sources, if its kind has any to search."""
    if embedder == "none" or suite.env.library is None:
        return
    from worksmith.cli.worlds.index import build

    build(suite, embedder)


def _show(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(f"[bold]{name.replace('_', ' ')}", _plain(value))
    Console().print(table)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    return "-" if value is None else str(value)


def _refuse_overwrite(out: Path, force: bool) -> None:
    from tools.errors import InputError

    if out.is_dir() and any(out.iterdir()) and not force:
        raise InputError("the directory is not empty", where=str(out), hint="--force replaces the suite")
