"""Settings of running episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worksmith.jobs.settings.base import JobSettings, setting
from worksmith.jobs.settings.groups.tasks import GroundTruth


class EpisodeSettings(JobSettings):
    """The episodes of each task, and how they are scored."""

    group = "Tasks"

    trials: int = setting(1, "Independent attempts at each task.", min=1)
    ground_truth: GroundTruth = setting("published", "published or corrected.", expert=True)


class SeedSettings(JobSettings):
    group = "Run"

    seed: int = setting(0, "Seed of all random choices.")


class WorkerSettings(JobSettings):
    group = "Run"

    workers: int = setting(8, "Episodes in flight at once.", min=1, max=4096, recorded=False)


class EngineSettings(WorkerSettings):
    """The processes in which episodes run; they are the same in all."""

    group = "Run"

    engine: str | None = setting(
        None,
        "Where episodes run: threads, processes, ray, or ray://HOST:PORT.",
        suggest=("threads", "processes", "ray"),
        unset="threads; processes with --processes",
        recorded=False,
        expert=True,
    )
    processes: int | None = setting(
        None,
        "Worker processes among which the episodes in flight are shared.",
        min=1,
        max=512,
        unset="1 for each core, at most --workers",
        recorded=False,
        expert=True,
    )
    suite_store: str | None = setting(
        None,
        "Folder or address (s3://...) through which Ray's workers get the suite.",
        unset="the suite's folder, at the same path on all machines",
        recorded=False,
        expert=True,
    )


class TimeLimitSettings(JobSettings):
    group = "Run"

    time_limit: float | None = setting(
        None,
        "Most seconds of an episode; a longer one is lost as `timeout`.",
        metavar="SECONDS",
        min=0.001,
        unset="no limit",
        expert=True,
    )


class OrgSettings(JobSettings):
    """The live system that tools work on, if any."""

    group = "Live system"

    org: str | None = setting(
        None,
        "Live system for tools to work on instead of the suite's world, if the world kind has one.",
        unset="the suite's world",
        expert=True,
    )
    org_ids: Path | None = setting(
        None,
        "File of `worksmith org upload`, which maps the org's ids to the world's.",
        path="file",
        expert=True,
    )


def _limit(help: str, **traits: Any) -> Any:
    return setting(None, help, recorded=False, **traits)


class BudgetSettings(JobSettings):
    """The limits of a job; without any, the job has no budget."""

    group = "Budget"

    max_calls: int | None = _limit("Most paid requests to models, retries included.")
    max_tokens: int | None = _limit("Most paid tokens.")
    max_usd: float | None = _limit("Most dollars; the prices of all models must be known.")
    max_minutes: float | None = _limit("Most minutes.")
    prices: Path | None = _limit(
        "Table of prices (TOML): input and output of each model in dollars per million tokens.",
        unset="list prices",
        path="file",
        expert=True,
    )
