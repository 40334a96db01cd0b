"""The folder of a training: unfinished with its checkpoints, then the model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from worksmith.jobs.settings.training import TrainSettings
from worksmith.models.transformer.manifest import MANIFEST
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import bring_back
from worksmith.tools.files.json_files import read_model
from worksmith.tools.files.locking import Lock

UNFINISHED = "unfinished.json"
"""The mark of a folder whose training is not done."""

_CHECKPOINTS = "checkpoints"
_STATE = "trainer_state.json"
"""The file of a checkpoint that is written last."""


class Begun(BaseModel):
    """What decides the result of a training.

    Attributes:
        data: the SHA-256 of the data.
        start: the digest of the weights at the start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    settings: dict[str, Any]
    data: str
    start: str


def check_out(settings: TrainSettings) -> None:
    """See that a training may write its folder, before any work."""
    out = settings.out
    bring_back(out)
    unfinished = (out / UNFINISHED).is_file()
    if settings.resume:
        if not unfinished:
            trained = (out / MANIFEST).is_file()
            message = "the training is finished" if trained else "there is no unfinished training"
            raise InputError(message, where=str(out), hint="leave --resume out")
        return
    empty = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if empty or (settings.force and (unfinished or (out / MANIFEST).is_file())):
        return
    hints = "--resume continues it, --force begins again" if unfinished else "--force replaces a model"
    message = "a training here is not finished" if unfinished else "there is something already"
    raise InputError(message, where=str(out), hint=f"{hints}; or give another --out")


def check_apart(out: Path, read: Iterable[Path | None]) -> None:
    """Check that a training reads nothing from the folder that it replaces."""
    for path in read:
        if path is not None and path.resolve().is_relative_to(out.resolve()):
            raise InputError(
                "the training reads from the folder that it would replace",
                where=str(path),
                hint="give another --out",
            )


@contextmanager
def begun(out: Path, work: Begun, *, resume: bool, main: bool) -> Iterator[Path]:
    """Mark a folder as unfinished; gives the folder for checkpoints.

    Args:
        main: whether this process is the only one, or the first of several that train together.

    Raises:
        InputError: another process trains there; or the training to go on with was another one.
    """
    if not main:
        yield out / _CHECKPOINTS
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = Lock(out.with_name(f".{out.name}.training"), out)
    try:
        mark = out / UNFINISHED
        if resume:
            _check_same(read_model(mark, Begun, "the mark of an unfinished training"), work, out)
        else:
            shutil.rmtree(out, ignore_errors=True)
            write_atomically(mark, work.model_dump_json(indent=1).encode())
        yield out / _CHECKPOINTS
    finally:
        lock.release()


def _check_same(before: Begun, now: Begun, out: Path) -> None:
    names = [*before.settings.keys() | now.settings.keys()]
    changed = sorted(name for name in names if before.settings.get(name) != now.settings.get(name))
    changed += [name for name in ("method", "data", "start") if getattr(before, name) != getattr(now, name)]
    if changed:
        raise InputError(
            f"the unfinished training had another {changed[0].replace('_', ' ')}",
            where=str(out),
            hint="give the same settings, or --force to begin again",
        )


def last_checkpoint(checkpoints: Path) -> Path | None:
    """The last checkpoint that is whole; a killed process leaves some that are not."""
    numbered = [(int(path.name.rpartition("-")[2]), path) for path in checkpoints.glob("checkpoint-*")]
    for _, path in sorted(numbered, reverse=True):
        with suppress(OSError, ValueError):
            json.loads((path / _STATE).read_bytes())
            return path
    return None
