"""Settings of exports."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.episodes import SeedSettings, WorkerSettings
from worksmith.jobs.settings.groups.programs import STRATEGIES, AgentSettings
from worksmith.jobs.settings.groups.record import ExperimentSettings, StoreSettings
from worksmith.jobs.settings.groups.tasks import (
    ConditionSettings,
    SchemeSettings,
    SuiteSettings,
    TaskSettings,
)

Layout = Literal["trl", "paper"]


class ExportSettings(SuiteSettings, TaskSettings):
    """Write a suite as the files of another framework."""

    group = "Export"

    out: Path = setting(..., "Folder to write.", short="-o", path="folder")
    force: bool = setting(False, "Replace the files of an earlier export.")


class ExportMlflowSettings(SuiteSettings, TaskSettings, ExperimentSettings):
    """Keep tasks as an evaluation dataset of MLflow."""

    group = "Export"

    expectations: bool = setting(
        False, "Keep the expectations of the tasks as well, for scorers that compare with them."
    )


class TrainingDataSettings(
    AgentSettings, ConditionSettings, SchemeSettings, SeedSettings, WorkerSettings, StoreSettings
):
    """Write trajectories as data to train a model on."""

    group = "Export"

    source: tuple[str, ...] = setting(
        ...,
        "Suite (by its gold plans), trace bank, episode log, folder of logs, or id of an MLflow run; several "
        "at once. Only tasks of the train split are taken.",
        metavar="SOURCE",
        positional=True,
    )
    out: Path = setting(..., "File to write (JSON lines).", short="-o", path="file", recorded=False)
    tasks_of: tuple[Path, ...] = setting(
        (), "Suite of a bank or a run, without its gold plans; repeatable.", path="folder"
    )
    exclude: tuple[Path, ...] = setting(
        (),
        "Suite to be measured on: its dev and test tasks, or all of a published one, must not be inside; "
        "repeatable. Those of the other suites must not either.",
        path="folder",
    )
    leave_out: bool = setting(
        False,
        "Leave out tasks that ask the same as a task held back, or nearly the same, instead of refusing.",
    )
    format: Layout = setting(
        "trl", "Columns: trl (with the origin of each row), or paper (without the origin)."
    )
    validation: float = setting(0.0, "Share of the intents that go to a second file.", min=0, max=0.9)
    limit_per_intent: int | None = setting(None, "The most rows of an intent.", min=1)
    tokenizer: str | None = setting(
        None,
        "Model whose tokenizer counts the lengths: a folder or a name on the Hugging Face hub.",
        metavar="MODEL",
        unset="characters / 4",
        expert=True,
    )
    force: bool = setting(False, "Replace the files of an earlier export.", recorded=False)
    prompt: str = setting(
        "compact",
        "Format of prompts: compact, without descriptions of tools and with 1,000 characters of each "
        "observation (compact:N: N), or text.",
        suggest=("compact", "compact:", "text", "json"),
    )
    strategy: str = setting("act", f"Planning strategy: {', '.join(STRATEGIES)}.", suggest=STRATEGIES)


class SftSettings(TrainingDataSettings):
    """Write successful trajectories as data for supervised fine-tuning."""

    group = "Export"

    each_turn: bool = setting(
        False,
        "A row for each turn of the assistant (prompt, completion) instead of one for each trajectory "
        "(messages).",
    )
    conversations: int = setting(
        1,
        "Most conversations of one world in a row, as a prompt shows demonstrations; their number is drawn. "
        "With more than 1 a row has prompt and completion.",
        min=1,
        max=64,
    )
    documents: int | None = setting(
        None, "Rows to draw; each ends with another conversation.", min=1, unset="one for each conversation"
    )
    near: float = setting(
        0.5,
        "Share of the rows whose earlier conversations are those nearest to the last one; others are drawn.",
        min=0,
        max=1,
    )
    renamed: float = setting(
        0.0,
        "Share of the rows in which tools and arguments have new names, the same ones in all of a row: "
        "calls must be copied. A row whose last conversation has another tool does not change.",
        min=0,
        max=1,
    )
    document_tokens: int = setting(
        2_048, "Most tokens of a row with several conversations; it gets fewer of them.", min=64, max=2**20
    )


class DpoSettings(TrainingDataSettings):
    """Write pairs of a successful and a failed trajectory of a task as data for preference training."""

    group = "Export"

    rest: bool = setting(
        False, "Chosen and rejected are all that follows, instead of the assistant's next turn."
    )
