"""Checks of the stores: the MLflow store, a Chroma server, the search index of each suite."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from worksmith.evals.suite import MANIFEST_FILE as SUITE_FILE
from worksmith.jobs.health.check import Check
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.server import ADDRESS
from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.world import MANIFEST_FILE as WORLD_FILE
from worksmith.tools.world import World
from worksmith.tools.world_kind import world_kind


def store_checks(subject: str, tracking_uri: str | None) -> Iterator[Check]:
    """The checks, in the current folder.

    Args:
        subject: of the checks.
        tracking_uri: of the MLflow store; None for the usual one.
    """
    yield _tracking(subject, tracking_uri)
    if server := os.environ.get(ADDRESS):
        yield _vectors(subject, server)
    for folder in (Path(), *sorted(each for each in Path().iterdir() if each.is_dir())):
        if (folder / SUITE_FILE).is_file() and (folder / WORLD_FILE).is_file():
            yield _index(subject, folder)


def _vectors(subject: str, server: str) -> Check:
    from worksmith.retrievers.index.store import Store

    try:
        store = Store(server.rstrip("/"), "worksmith")
        store.sources()
        store.close()
    except RetrievalError as error:
        remedy = f"start the server, or set {ADDRESS} to another"
        return Check(subject, "Chroma", "failure", without_secrets(str(error)), remedy)
    return Check(subject, "Chroma", "ok", server)


def _tracking(subject: str, tracking_uri: str | None) -> Check:
    from worksmith.evals.tracking.store import check_access, database_file, existing_store
    from worksmith.evals.tracking.store import tracking_uri as address_of

    address = re.sub(r"(?<=://)[^/@]+@", "", address_of(tracking_uri))
    try:
        found = existing_store(tracking_uri)
        if found is not None and database_file(found) is None:
            check_access(found)
    except (WorksmithError, OSError) as error:
        remedy = "start the server, or name another store with --tracking-uri; --no-track does without"
        return Check(subject, "MLflow", "failure", without_secrets(str(error)), remedy)
    return Check(subject, "MLflow", "ok", address if found else f"{address} (no runs yet)")


def _index(subject: str, suite: Path) -> Check:
    name, make = f"search index of {suite.resolve().name}", f"worksmith index {suite}"
    try:
        world = World.open(suite)
        library = world_kind(world.manifest.kind).open_library(world)
        if library is None or library.directory is None:
            return Check(subject, name, "ok", "the tools of this suite search nothing")
        library.check()
        embedder = library.embedder
    except (WorksmithError, RetrievalError, OSError) as error:
        return Check(subject, name, "failure", str(error), f"{make} makes it again")
    if embedder is None:
        message = "missing, so searches compare words alone"
        return Check(subject, name, "warning", message, f"{make} makes one")
    return Check(subject, name, "ok", f"of this world, with the model {embedder}")
