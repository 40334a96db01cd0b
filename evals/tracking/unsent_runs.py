"""The note beside a log whose run in MLflow is not complete: which run `worksmith log` completes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.records.run_card import beside
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_model

_ENDING = ".unsent.json"

RunId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class Unsent(BaseModel):
    """The run of a log in MLflow, as far as it was made.

    Attributes:
        run: its id; None if the store failed before.
        above: the id of the run above it, if there is one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: RunId | None = None
    above: RunId | None = None


def note_unsent(log: Path, unsent: Unsent) -> None:
    write_atomically(beside(log, _ENDING), unsent.model_dump_json().encode())


def read_unsent(log: Path) -> Unsent:
    """The note beside a log; an empty one without a note; `InputError` if it cannot be read."""
    file = beside(log, _ENDING)
    if not file.is_file():
        return Unsent()
    return read_model(file, Unsent, "the note of an unsent run", hint="delete it; a new run is made then")


def forget_unsent(log: Path) -> None:
    beside(log, _ENDING).unlink(missing_ok=True)
