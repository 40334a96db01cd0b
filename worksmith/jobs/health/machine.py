"""Checks of the machine: packages, disk, caches, the store of runs, the search index."""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from evals.suite import MANIFEST_FILE as SUITE_FILE
from tools.errors import WorksmithError
from tools.files.secrets import without_secrets
from tools.world import MANIFEST_FILE as WORLD_FILE
from tools.world import World
from tools.world_kind import world_kind
from worksmith.jobs.health.check import Check

_LITTLE, _LEAST = 2**30, 2**20
"""Bytes that should be free on a disk, and that must be."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_SHOWN = ("worksmith", "dspy", "litellm", "mlflow", "chromadb", "pydantic")

MACHINE = "this machine"


def machine_checks(tracking_uri: str | None) -> Iterator[Check]:
    """The checks, in the current folder.

    Args:
        tracking_uri: of the MLflow store; None for the usual one.
    """
    yield Check(MACHINE, "python", "ok", platform.python_version())
    yield _packages()
    yield _disk("disk", Path())
    yield _disk("cache of replies", Path(os.environ.get("DSPY_CACHEDIR") or Path.home() / ".dspy_cache"))
    if os.path.lexists(".worksmith"):
        yield _disk("cache of environments", Path(".worksmith"))
    yield _store(tracking_uri)
    for folder in (Path(), *sorted(each for each in Path().iterdir() if each.is_dir())):
        if (folder / SUITE_FILE).is_file() and (folder / WORLD_FILE).is_file():
            yield _index(folder)


def _packages() -> Check:
    from packaging.requirements import Requirement

    wrong = []
    for text in _requirements():
        needed = Requirement(text)
        if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(needed.name)
        except PackageNotFoundError:
            wrong.append(f"{needed.name} is not installed")
            continue
        if not needed.specifier.contains(found, prereleases=True):
            wrong.append(f"{needed.name} is {found}, {needed.specifier} is needed")
    if wrong:
        return Check(MACHINE, "packages", "failure", "; ".join(wrong), "pip install --upgrade worksmith")
    return Check(MACHINE, "packages", "ok", ", ".join(filter(None, map(_version, _SHOWN))))


def _requirements() -> list[str]:
    try:
        return requires("worksmith") or []
    except PackageNotFoundError:
        return []


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def _disk(name: str, folder: Path) -> Check:
    """Whether files can be written to a folder, which need not be there yet."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    remedy = "free some space" if folder == Path() else f"free some space, or delete what is in {folder}"
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(bytes(_LEAST))
        free = shutil.disk_usage(place).free
    except OSError as error:
        remedy = remedy if error.errno in _FULL else "use a folder that can be written"
        return Check(MACHINE, name, "failure", f"{place}: {error.strerror or error}", remedy)
    said = f"{folder}: {free / 2**30:,.1f} GiB free"
    if free < _LITTLE:
        return Check(MACHINE, name, "failure" if free < _LEAST else "warning", said, remedy)
    return Check(MACHINE, name, "ok", said)


def _store(tracking_uri: str | None) -> Check:
    from evals.tracking.store import existing_store
    from evals.tracking.store import tracking_uri as address_of

    address = re.sub(r"(?<=://)[^/@]+@", "", address_of(tracking_uri))
    try:
        found = existing_store(tracking_uri)
    except (WorksmithError, OSError) as error:
        remedy = "start the server, or name another store with --tracking-uri; --no-track does without"
        return Check(MACHINE, "MLflow", "failure", without_secrets(str(error)), remedy)
    return Check(MACHINE, "MLflow", "ok", address if found else f"{address} (no runs yet)")


def _index(suite: Path) -> Check:
    from retrievers.errors import RetrievalError

    name, make = f"search index of {suite.resolve().name}", f"worksmith index {suite}"
    try:
        world = World.open(suite)
        library = world_kind(world.manifest.kind).open_library(world)
        if library is None or library.directory is None:
            return Check(MACHINE, name, "ok", "the tools of this suite search nothing")
        library.check()
        embedder = library.embedder
    except (WorksmithError, RetrievalError, OSError) as error:
        return Check(MACHINE, name, "failure", str(error), f"{make} makes it again")
    if embedder is None:
        said = "there is none, so searches go by words alone"
        return Check(MACHINE, name, "warning", said, f"{make} makes one")
    return Check(MACHINE, name, "ok", f"of this world, with the model {embedder}")
