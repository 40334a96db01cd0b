"""Ratings: one JSON line each, beside the log of the episodes, written immediately."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from worksmith.evals.rating.scales import LEVELS
from worksmith.evals.records.entries import RecordEntry
from worksmith.evals.records.run_card import RATINGS, LoadedRun, beside
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import cut_torn_line, read_models

_TRACKED = "runs:/"


class Rating(RecordEntry):
    """A level from a rater.

    Attributes:
        key: of the episode.
        note: a remark of the rater.
    """

    key: str
    task_id: str
    rater: str
    scale: str
    level: Annotated[int, Field(ge=1, le=LEVELS)]
    note: str = ""


def ratings_file(run: LoadedRun, elsewhere: Path) -> Path:
    """The file of a run's ratings: beside its log, or `elsewhere` for a run that is only in MLflow."""
    if run.path.startswith(_TRACKED):
        return elsewhere / (run.path.removeprefix(_TRACKED).partition("/")[0] + RATINGS)
    return beside(Path(run.path), RATINGS)


def read_ratings(file: Path) -> list[Rating]:
    """The ratings in a file, the last one of each rater for each episode and scale; empty without a file.

    A torn last line is skipped.

    Raises:
        InputError: a whole line is not a rating.
    """
    if not os.path.lexists(file):
        return []
    ratings = read_models(file, Rating, "a rating", hint="remove the line", appended=True)
    return list({(rating.key, rating.rater, rating.scale): rating for rating in ratings}.values())


def append_ratings(file: Path, ratings: Iterable[Rating]) -> None:
    """Write ratings, all in one write."""
    lines = "".join(rating.model_dump_json() + "\n" for rating in ratings).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_file():
        cut_torn_line(file)
    with file.open("ab") as stream:
        append(stream.fileno(), lines, file)
