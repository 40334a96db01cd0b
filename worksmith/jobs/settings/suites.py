"""Settings of the jobs that make and index suites."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worksmith.jobs.settings.base import JobSettings, setting
from worksmith.jobs.settings.groups.episodes import WorkerSettings
from worksmith.jobs.settings.groups.judging import LOCAL_JUDGE, RubricSettings, judges
from worksmith.jobs.settings.groups.models import CacheSettings
from worksmith.jobs.settings.groups.record import StoreSettings, TrackSettings
from worksmith.jobs.settings.groups.tasks import SplitName, SuiteSettings, TaskSettings
from worksmith.retrievers.index.server import ADDRESS


class BuildSettings(CacheSettings):
    """Generate a suite. Seed, scale and options determine every byte except the index."""

    kind: str = setting(..., "World kind.", positional=True)
    out: Path = setting(..., "Folder to write the suite to.", short="-o", path="folder")
    seed: int = setting(7, "Seed of all random choices.")
    scale: float = setting(1.0, "Size; 1.0 is the published size.", min=0.02, max=100)
    index: str | None = setting(
        None,
        "Embedding model for the search index, if tools search: minilm, static, none, or any "
        "sentence-transformers model by name.",
        suggest=("minilm", "static", "none"),
        unset="minilm",
    )
    force: bool = setting(False, "Replace an existing suite.")
    options: Mapping[str, Any] = setting({}, "Further settings of the kind, by name.", option=False)


class NewSettings(JobSettings):
    """Write a small project, or an industry."""

    folder: Path = setting(..., "Folder to write.", positional=True)
    source: Path | None = setting(
        None,
        "Folder of CSV, JSONL, Parquet or SQLite files to begin with.",
        flag="--from",
        path="folder",
        unset="a made-up helpdesk",
    )
    key: tuple[str, ...] = setting(
        (),
        "With --from, TABLE=COLUMN: the column that identifies a row of a table. TABLE=COLUMN,COLUMN names "
        "several that do so together, TABLE=row_number numbers the rows.",
        metavar="TABLE=COLUMN",
        unset="a column with another value in each row",
    )
    null: tuple[str, ...] = setting(
        (),
        "With --from, a cell of CSV files that is empty, such as n/a. NULL and \\N are found where the rest "
        "of a column are numbers, dates or booleans.",
    )
    industry: str | None = setting(
        None, "Instead of a project, a copy of this industry of generated companies, to be rewritten."
    )


class ImportSettings(JobSettings):
    """Import a published system's own files as a suite."""

    system: str = setting(..., "Published system.", positional=True)
    source: Path = setting(..., "Directory with the system's files.", positional=True, path="folder")
    org: Path | None = setting(
        None, "SQLite file with the records of the org that the questions are about.", path="file"
    )
    out: Path = setting(..., "Folder to write the suite to.", short="-o", path="folder")
    force: bool = setting(False, "Replace an existing suite.")


class TaskListSettings(SuiteSettings, TaskSettings):
    """List the tasks of a suite."""


class TaskCheckSettings(SuiteSettings):
    """Check the tasks of a suite."""

    split: SplitName = setting("all", "train, dev, test, paired or all.")


class TaskDraftSettings(SuiteSettings):
    """Draft tasks for a project from its tables."""

    out: Path = setting(..., "File to write.", short="-o", path="file")
    count: int = setting(40, "The most tasks.", min=1, max=10_000)
    seed: int = setting(0, "Seed of all random choices.")
    lm: str | None = setting(
        None,
        "Language model that rewords the queries; a new one is taken only if it names the same values.",
        unset="the queries of the templates",
    )
    force: bool = setting(False, "Replace an existing file.")


class QuickstartSettings(RubricSettings, WorkerSettings, TrackSettings, StoreSettings):
    """Run the main job, end to end, on this machine alone."""

    out: Path = setting(Path("build/quickstart"), "Folder for suite and program.", short="-o")
    seed: int = setting(7, "Seed of all random choices.")
    judge: tuple[str, ...] = judges(LOCAL_JUDGE)


class IndexSettings(SuiteSettings):
    """Index the texts that a suite's tools search."""

    embedder: str | None = setting(
        None,
        "Embedding model: minilm (packaged), static (fast and weak), or any sentence-transformers model on "
        "this machine by name or folder.",
        suggest=("minilm", "static"),
        unset="that of the existing index, else minilm",
    )
    store: str | None = setting(
        None, "Chroma server, http://host:port.", unset="a folder in the suite", variable=ADDRESS
    )
    download: bool = setting(False, "Download the model if it is not on this machine.")
    device: str = setting("cpu", "Device of the model: cpu or cuda.")
