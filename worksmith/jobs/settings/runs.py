"""Settings of the jobs that work on finished runs."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings import groups
from worksmith.jobs.settings.base import JobSettings, Names, setting

FORMATS = {"html": ".html", "md": ".md", "csv": ".csv", "json": ".json", "latex": ".tex"}
"""The formats of reports, and how the names of their files end."""


class JudgeSettings(groups.RubricSettings, groups.WorkerSettings, groups.CacheSettings):
    """Judge the episodes of finished runs."""

    runs: tuple[str, ...] = setting(..., "Episode logs, or folders of them.", metavar="RUN", positional=True)
    judge: tuple[str, ...] = groups.judges(groups.LOCAL_JUDGE)
    suite: Path | None = setting(None, "Suite of the runs.", unset="the one that they name")
    anew: bool = setting(False, "Ask also for verdicts that are there already.")


class CalibrateSettings(
    groups.RubricSettings, groups.SeedSettings, groups.WorkerSettings, groups.CacheSettings
):
    """Measure judges on labelled cases."""

    labels: Path | None = setting(None, "JSON lines: request, response, reference, level ...", path="file")
    planted: tuple[Path, ...] = setting(
        (),
        "Make cases with known faults from the tasks of a generated suite; repeat for several.",
        metavar="SUITE",
    )
    judge: tuple[str, ...] = groups.judges(groups.LOCAL_JUDGE)
    cases: int = setting(120, "How many cases to plant.", min=2)
    repeats: int = setting(1, "How often a sample of cases is judged again.", min=0, max=10)
    save_labels: Path | None = setting(None, "Write the planted cases to this file.", path="file")
    out: Path | None = setting(
        None,
        "File for the gate's verdict, of a single judge.",
        short="-o",
        unset="mlruns/judges/DIGEST.json",
        path="file",
    )


class ReportSettings(groups.RunsSettings, groups.StoreSettings):
    """Report runs as a page, tables or data."""

    out: Path | None = setting(
        None, "Where to write it.", short="-o", unset="report.html; other formats to stdout"
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
    published: bool = setting(False, "Put the figures of the suite's paper beside ours.")
    force: bool = setting(False, "Overwrite the file.")


class EpisodesSettings(groups.RunsSettings, groups.StoreSettings):
    """List episodes of runs."""

    arm: tuple[str, ...] = setting((), "Of this program only; repeatable.")
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
    metric: str = setting(
        "outcome", "Whose value is shown: a score, a cost, error_rate, fault/NAME, status/NAME."
    )
    suite: Path | None = setting(None, "Suite of published predictions.")


class LogSettings(groups.ExperimentSettings):
    """Put runs from episode logs into MLflow."""

    runs: tuple[str, ...] = setting(..., "Episode logs, or folders of logs.", positional=True)
    suite: Path | None = setting(
        None,
        "Suite of the runs: traces then say what was expected.",
        unset="the one their cards name",
    )
    traces: str = groups.traces("all")


class RateSettings(groups.SeedSettings, groups.TrackSettings, groups.StoreSettings):
    """Have people rate episodes."""

    runs: tuple[str, ...] = setting(
        ..., "Episode logs, folders of them, or ids of MLflow runs.", metavar="RUN...", positional=True
    )
    rater: str | None = setting(None, "Who rates; each rater's ratings are kept. Needed to rate.")
    sample: int = setting(20, "Tasks of which each run's episode is shown.", min=1)
    scales: Names = setting(
        ("correctness", "realism"),
        "The questions, separated by commas: correctness, realism.",
        suggest=("correctness", "realism", "correctness,realism"),
    )


class ScoreSettings(groups.SuiteSettings):
    """Score recorded predictions."""

    more: tuple[Path, ...] = setting((), "More prediction files.", metavar="[FILE]...", positional=True)
    predictions: tuple[Path, ...] = setting(
        (),
        "JSON lines (our episode logs too) or the original's result CSVs; directories are searched.",
        short="-p",
        metavar="FILE...",
    )
    ground_truth: groups.GroundTruth = setting(
        "published",
        "published answers, or corrected: mended where they contradict the task, and ambiguous tasks accept "
        "every reading.",
    )


class PowerSettings(JobSettings):
    """Plan a comparison or a race."""

    tasks: int | None = setting(None, "Tasks that both programs get.", min=2)
    points: float | None = setting(None, "Difference to be seen, in percentage points.", min=0.01, max=100)
    rate: float = setting(50.0, "What the reference solves, in percent.", min=0, max=100)
    agreement: float = setting(
        0.5, "Correlation of what both solve: 0 for none, 1 for the same tasks.", min=0, max=1
    )
    discordance: float | None = setting(
        None,
        "Tasks in percent on which single attempts of both differ.",
        min=0,
        max=100,
        unset="from rate and agreement",
    )
    trials: int = setting(1, "Attempts of each program at each task.", min=1)
    noise: float = setting(
        0.5,
        "The part of that which is chance: two attempts of one program differ as well.",
        min=0,
        max=1,
    )
    alike: float = setting(
        1.0, "The factor by which variance grows since tasks of an intent are alike; 1 if not.", min=1
    )
    race: bool = setting(
        False, "Plan a race: with --intents, --per-intent and --candidates in place of --tasks."
    )
    intents: int | None = setting(None, "Dev intents of a race.", min=1, max=20_000)
    per_intent: int = setting(1, "Dev tasks of each intent.", min=1, max=1000)
    candidates: int = setting(4, "Programs that race with the one as it is.", min=1, max=1000)


class UiSettings(groups.StoreSettings):
    """Show the recorded runs in MLflow's web page."""

    port: int = setting(5000, "Port on this machine.", min=1, max=65535)
