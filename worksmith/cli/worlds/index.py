"""`worksmith index`: make or check the search index over a suite's sources."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import JsonFlag, SuiteArgument, say

if TYPE_CHECKING:
    from retrievers.index.library import Library
    from tools.world import World


def index_suite(
    suite: SuiteArgument,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Embedding model: minilm (packaged), static (fast and weak), or any sentence-transformers "
            "model on this machine by name or folder.",
            show_default="that of the index there is, else minilm",
            autocompletion=lambda: ["minilm", "static"],
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="Chroma server, http://host:port.", show_default="a folder in the suite"),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Download the model if it is not on this machine.")
    ] = False,
    device: Annotated[str, typer.Option(help="Where the model runs: cpu or cuda.")] = "cpu",
    check: Annotated[
        bool, typer.Option("--check", help="Only compare the index with the world, record by record.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Index what a suite's tools search. Embeds only what is new or changed, even after a kill."""
    from retrievers.embedding import PACKAGED
    from retrievers.index.manifest import ALLOWED
    from tools.world import World

    world = World.open(suite)
    library = _library(world)
    if check:
        facts = _check(library, store)
    else:
        chosen = embedder or _model_there(library)
        try:
            facts = _build(library, world, chosen, store, device=device, download=download)
        except KeyboardInterrupt as stop:
            say("Stopped; the same command goes on from here")
            raise typer.Exit(130) from stop
        if chosen not in PACKAGED:
            say(f"searches load this model only where the environment says {ALLOWED}={chosen}")
    typer.echo(json.dumps(facts) if as_json else _told(facts))


def build(suite: Any, embedder: str) -> None:
    """Index a suite that was just built."""
    say(_told(_build(_library(suite.world), suite.world, embedder, None)))


def _library(world: World) -> Library:
    from tools.errors import InputError
    from tools.world_kind import world_kind

    kind = world_kind(world.manifest.kind)
    library = kind.open_library(world)
    if library is None or library.directory is None:
        raise InputError(f"the tools of kind {kind.name} search nothing", where=str(world.path))
    return library


def _model_there(library: Library) -> str:
    """The model of the index that there is, if it may be loaded; the default where there is none."""
    from retrievers.embedding import PACKAGED
    from retrievers.errors import RetrievalError
    from retrievers.index.manifest import check_model

    assert library.directory is not None
    try:
        name = library.embedder
    except RetrievalError:  # a damaged index is made again
        name = None
    if name is None:
        return PACKAGED[0]
    check_model(name, library.directory)
    return name


def _build(
    library: Library,
    world: World,
    embedder: str,
    store: str | None,
    *,
    device: str = "cpu",
    download: bool = False,
) -> dict[str, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from retrievers.index.building import Progress as Step
    from retrievers.index.building import build_index

    assert library.directory is not None
    start = time.perf_counter()
    console = Console(stderr=True)
    columns = (TextColumn("Indexing {task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        line = bar.add_task("", total=None)

        def show(step: Step) -> None:
            bar.update(line, description=step.source, completed=step.done, total=step.total)

        report = build_index(
            library.directory,
            library.documents,
            embedder=embedder,
            version=world.manifest.digest,
            store=store,
            device=device,
            download=download,
            on_progress=show,
        )
    seconds = time.perf_counter() - start
    return {**asdict(report), "seconds": round(seconds, 1), "path": str(library.directory)}


def _told(facts: dict[str, Any]) -> str:
    """What `_build` or `_check` did, for people."""
    if "sound" in facts:
        return f"The index fits the world: {facts['sound']:,} records of {len(facts['sources'])} sources."
    return (
        f"Indexed {facts['documents']:,} records in {facts['passages']:,} passages "
        f"({facts['seconds']:.0f} s, {facts['precision']}): {facts['embedded']:,} embedded, "
        f"{facts['kept']:,} kept, {facts['removed']:,} removed"
    )


def _check(library: Library, store: str | None) -> dict[str, Any]:
    from retrievers.index.checking import check_index
    from tools.errors import WorksmithError

    assert library.directory is not None
    counts = check_index(library.directory, library.documents, store)
    wrong = {source: found for source, found in counts.items() if _faults(found)}
    if wrong:
        listed = "; ".join(f"{source}: {_listed(found)}" for source, found in wrong.items())
        raise WorksmithError(f"the index does not fit the world: {listed}")
    library.check_fit()
    total = sum(found["sound"] for found in counts.values())
    return {"sound": total, "sources": counts}


def _faults(counts: dict[str, int]) -> int:
    return sum(count for name, count in counts.items() if name != "sound")


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
