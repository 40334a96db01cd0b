"""Checks of the machine: packages, disk, caches."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from worksmith.jobs.health.check import Check
from worksmith.jobs.health.stores import store_checks
from worksmith.retrievers.extras import install_line

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
    yield from store_checks(MACHINE, tracking_uri)


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
        return Check(MACHINE, "packages", "failure", "; ".join(wrong), install_line())
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
    message = f"{folder}: {free / 2**30:,.1f} GiB free"
    if free < _LITTLE:
        return Check(MACHINE, name, "failure" if free < _LEAST else "warning", message, remedy)
    return Check(MACHINE, name, "ok", message)
