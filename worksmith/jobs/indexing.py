"""Index the texts that a suite's tools search, and check an index against its world."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.jobs.showing.printing import Printed
from worksmith.retrievers.embedding import PACKAGED
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.building import build_index
from worksmith.retrievers.index.checking import check_index
from worksmith.retrievers.index.manifest import ALLOWED, check_model
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.world import World
from worksmith.tools.world_kind import world_kind

if TYPE_CHECKING:
    from worksmith.jobs.settings.suites import IndexSettings
    from worksmith.retrievers.index.library import Library


def index(settings: IndexSettings, *, progress: Progress = SILENT) -> Printed:
    """Index the texts of a suite. Embeds only new and changed texts, even after a kill.

    Raises:
        InputError: the suite is missing, or its tools have no search.
        RetrievalError: the model or store is unknown.
    """
    world = _world(settings.suite)
    library, directory = _library(world)
    embedder = settings.embedder or _model_there(library, directory)
    start = time.perf_counter()
    with progress.bar("Indexing") as tick:
        report = build_index(
            directory,
            library.documents,
            embedder=embedder,
            version=world.manifest.digest,
            store=settings.store,
            device=settings.device,
            download=settings.download,
            on_progress=lambda step: tick(step.done, step.total, step.source),
        )
    seconds = time.perf_counter() - start
    if embedder not in PACKAGED:
        progress.say(f"searches load this model only if the environment has {ALLOWED}={embedder}")
    facts = {**asdict(report), "seconds": round(seconds, 1), "path": str(directory)}
    said = (
        f"Indexed {facts['documents']:,} records in {facts['passages']:,} passages "
        f"({facts['seconds']:.0f} s, {facts['precision']}): {facts['embedded']:,} embedded, "
        f"{facts['kept']:,} kept, {facts['removed']:,} removed"
    )
    return Printed(facts, (said,))


def check(settings: IndexSettings) -> Printed:
    """Compare the index of a suite with its world, record by record.

    Raises:
        InputError: the suite is missing, or its tools have no search.
        WorksmithError: the index does not fit the world.
    """
    library, directory = _library(_world(settings.suite))
    counts = check_index(directory, library.documents, settings.store)
    wrong = {source: listed for source, found in counts.items() if (listed := _faults(found))}
    if wrong:
        listed = "; ".join(f"{source}: {faults}" for source, faults in wrong.items())
        raise WorksmithError(f"the index does not fit the world: {listed}")
    library.check_fit()
    total = sum(found["sound"] for found in counts.values())
    sentence = f"The index fits the world: {total:,} records of {len(counts)} sources."
    return Printed({"sound": total, "sources": counts}, (sentence,))


def _world(suite: Path) -> World:
    if (suite / PROJECT_FILE).is_file():
        hint = 'env.index("TABLE", text="{COLUMN}") in its Python file'
        raise InputError("a project's environment indexes its tables itself", where=str(suite), hint=hint)
    return World.open(suite)


def _library(world: World) -> tuple[Library, Path]:
    kind = world_kind(world.manifest.kind)
    library = kind.open_library(world)
    if library is None or library.directory is None:
        raise InputError(f"the tools of kind {kind.name} search nothing", where=str(world.path))
    return library, library.directory


def _model_there(library: Library, directory: Path) -> str:
    """The model of the existing index, if it may be loaded; the default without an index."""
    try:
        name = library.embedder
    except RetrievalError:  # a damaged index is made again
        name = None
    if name is None:
        return PACKAGED[0]
    check_model(name, directory)
    return name


def _faults(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count and name != "sound")
