"""Settings of the jobs that work on finished runs."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings.base import JobSettings, Names, setting
from worksmith.jobs.settings.groups.episodes import SeedSettings, WorkerSettings
from worksmith.jobs.settings.groups.judging import LOCAL_JUDGE, JudgeOptions, RubricSettings, judges
from worksmith.jobs.settings.groups.models import CacheSettings
from worksmith.jobs.settings.groups.record import StoreSettings, TracedSettings, TrackSettings, traces
from worksmith.jobs.settings.groups.tasks import GroundTruth, RunsSettings, SuiteSettings

FORMATS = {"html": ".html", "md": ".md", "csv": ".csv", "json": ".json", "latex": ".tex"}
"""The formats of reports, and how the names of their files end."""


class JudgeSettings(RubricSettings, WorkerSettings, CacheSettings):
    """Judge the episodes of finished runs."""

    runs: tuple[str, ...] = setting(..., "Episode logs, or folders of them.", metavar="RUN", positional=True)
    judge: tuple[str, ...] = judges(LOCAL_JUDGE)
    suite: Path | None = setting(None, "Suite of the runs.", unset="the suite named in the logs")
    anew: bool = setting(False, "Ask again for existing verdicts.")


class CalibrateSettings(RubricSettings, SeedSettings, WorkerSettings, CacheSettings):
    """Measure judges on labelled cases."""

    labels: Path | None = setting(None, "JSON lines: request, response, reference, level ...", path="file")
    planted: tuple[Path, ...] = setting(
        (),
        "Make cases with known failures from the tasks of a generated suite; repeat for several.",
        metavar="SUITE",
    )
    judge: tuple[str, ...] = judges(LOCAL_JUDGE)
    cases: int = setting(120, "Number of planted cases.", min=2)
    repeats: int = setting(1, "Times to judge a sample of cases again.", min=0, max=10)
    save_labels: Path | None = setting(None, "Write the planted cases to this file.", path="file")
    out: Path | None = setting(
        None,
        "File for the gate's verdict, of a single judge.",
        short="-o",
        unset="mlruns/judges/DIGEST.json",
        path="file",
    )


class ReportSettings(RunsSettings, StoreSettings):
    """Report runs as a page, tables or data."""

    out: Path | None = setting(
        None, "File or folder to write.", short="-o", unset="report.html; other formats to stdout"
    )
    form: str | None = setting(
        None,
        f"{', '.join(FORMATS)}.",
        flag="--format",
        suggest=tuple(FORMATS),
        unset="by the file's name, else html",
    )
    title: str = setting("Report", "The heading.")
    suite: Path | None = setting(
        None, "Imported suite: RUN may then be published prediction files or folders of them."
    )
    published: bool = setting(False, "Add the figures of the suite's paper.")
    force: bool = setting(False, "Overwrite the file.")


class EpisodesSettings(RunsSettings, StoreSettings):
    """List episodes of runs."""

    arm: tuple[str, ...] = setting((), "Episodes of this program only; repeatable.")
    where: tuple[str, ...] = setting(
        (),
        "domain, actions, area, type, difficulty, intent, status, fault, task or trial; repeatable.",
        metavar="FIELD=VALUE",
    )
    domain: str | None = setting(None, "Short for --where domain=...")
    fault: str | None = setting(None, "Short for --where fault=...")
    verdict: str = setting(
        "", "right, wrong or lost (to the infrastructure).", suggest=("right", "wrong", "lost"), unset="any"
    )
    wrong: bool = setting(False, "Short for --verdict wrong.")
    text: str = setting("", "In the query, a call or the answer.", unset="any")
    metric: str = setting("outcome", "Figure to show: a score, a cost, error_rate, fault/NAME, status/NAME.")
    suite: Path | None = setting(None, "Suite of published predictions.")


class LogSettings(TracedSettings):
    """Put runs from episode logs into MLflow."""

    runs: tuple[str, ...] = setting(..., "Episode logs, or folders of logs.", positional=True)
    suite: Path | None = setting(
        None,
        "Suite of the runs, for the expectations in traces.",
        unset="the suite named in their cards",
    )
    traces: str = traces("most")


class MergeSettings(JobSettings):
    """Make one run of the logs of its parts."""

    parts: tuple[Path, ...] = setting(
        ..., "Episode logs of all parts of a run, see `worksmith eval --shard`.", positional=True
    )
    out: Path = setting(..., "Log to write.", short="-o", path="file")
    force: bool = setting(False, "Overwrite the file.")


class RateSettings(SeedSettings, TrackSettings, StoreSettings):
    """Have people rate episodes, or the tasks or records of suites."""

    runs: tuple[str, ...] = setting(
        ...,
        "Episode logs, folders of them, or ids of MLflow runs; with --tasks or --records, suites.",
        metavar="RUN...",
        positional=True,
    )
    rater: str | None = setting(None, "Name of the rater, required to rate; each rater's ratings are kept.")
    tasks: bool = setting(False, "Rate tasks of suites: realism and clarity.")
    records: bool = setting(False, "Rate records of suites: realism and coherence.")
    sample: int = setting(
        20, "Tasks to rate, with one episode of each run; or tasks or records of each suite.", min=1
    )
    scales: Names | None = setting(
        None,
        "The questions, separated by commas.",
        suggest=("correctness", "realism", "clarity", "record_realism", "coherence"),
        unset="those of the rated part",
    )


class ScoreSettings(SuiteSettings, JudgeOptions):
    """Score recorded predictions."""

    more: tuple[Path, ...] = setting((), "More prediction files.", metavar="[FILE]...", positional=True)
    predictions: tuple[Path, ...] = setting(
        (),
        "Predictions (JSON lines), episode logs, or the original's result CSVs; directories are searched.",
        short="-p",
        metavar="FILE...",
    )
    ground_truth: GroundTruth = setting(
        "published",
        "published answers, or corrected: answers that contradict the task are replaced, and ambiguous "
        "tasks accept every reading.",
    )
    logs: Path | None = setting(
        None,
        "Folder for an episode log of each file, which report and judge take.",
        path="folder",
        recorded=False,
    )


class PowerSettings(JobSettings):
    """Plan a comparison or a race."""

    tasks: int | None = setting(None, "Tasks of both programs.", min=2)
    points: float | None = setting(None, "Difference to detect, in percentage points.", min=0.01, max=100)
    rate: float = setting(50.0, "Score of the reference, in percent.", min=0, max=100)
    agreement: float = setting(
        0.5, "Correlation of the tasks that both solve: 0 for none, 1 for the same tasks.", min=0, max=1
    )
    discordance: float | None = setting(
        None,
        "Percentage of tasks on which single attempts of both differ.",
        min=0,
        max=100,
        unset="from rate and agreement",
    )
    trials: int = setting(1, "Attempts of each program at each task.", min=1)
    noise: float = setting(
        0.5,
        "Share of these differences that is chance, as between two attempts of one program.",
        min=0,
        max=1,
    )
    alike: float = setting(
        1.0, "Design effect of correlated tasks of an intent; 1 for independent tasks.", min=1
    )
    race: bool = setting(
        False, "Plan a race: with --intents, --per-intent and --candidates instead of --tasks."
    )
    intents: int | None = setting(None, "Dev intents of a race.", min=1, max=20_000)
    per_intent: int = setting(1, "Dev tasks of each intent.", min=1, max=1000)
    candidates: int = setting(4, "Programs that race against the uncompiled one.", min=1, max=1000)
    sealed: bool = setting(False, "A part of dev is sealed: candidates are made from dev episodes.")


class UiSettings(StoreSettings):
    """Show the recorded runs in MLflow's web page."""

    port: int = setting(5000, "Port on this machine.", min=1, max=65535)
