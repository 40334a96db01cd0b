"""Office suites: generated ones, and the published tasks of WorkBench."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path

from pydantic import Field

from worksmith.evals.kinds.office.generate import PER_INTENT, Wordings, generate
from worksmith.evals.kinds.office.intents.registry import all_intents
from worksmith.evals.tasks.building import BuildContext, BuildOptions, Made, Progress, SuiteBuilder
from worksmith.tools.kinds.office.generate import DEFAULT_MAIL_DOMAIN, DEFAULT_NOW, build
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world
from worksmith.tools.world_kind import world_kind


class OfficeOptions(BuildOptions):
    """Settings of an office suite.

    Attributes:
        per_intent: tasks for each of the 69 intents.
        wordings: in how many ways an intent is worded.
        today: the day of the episodes. All dates of the world are relative to it.
        mail_domain: of the employees' addresses.
    """

    per_intent: int = Field(
        default=PER_INTENT,
        ge=1,
        le=200,
        description="Tasks for each intent of an office; others have quotas.",
    )
    wordings: Wordings = Field(
        default="few",
        description="Wordings of each intent of an office: few (3 or 4), or many (14 more), to train on.",
    )
    today: date = Field(default=DEFAULT_NOW.date(), description="Day of an office's episodes, as 2025-03-12.")
    mail_domain: str = Field(
        default=DEFAULT_MAIL_DOMAIN,
        pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$",
        description="Domain of the mail addresses in an office.",
    )


def build_office(place: Path, options: OfficeOptions, context: BuildContext) -> Made:
    """Generate a world and `per_intent` tasks for each intent."""
    seed, scale = options.seed, options.scale
    now = datetime.combine(options.today, time())
    context.progress(f"generating an office world (seed {seed}, scale {scale:g})")
    world = write_world(
        place,
        world_kind("office").tables,
        build(seed, scale, now, options.mail_domain),
        kind="office",
        origin="generated",
        now=now,
        persona=SAM,
        seed=seed,
        scale=scale,
    )
    context.progress("drawing tasks and executing their gold plans")
    return Made(world, generate(world, seed, options.per_intent, wordings=options.wordings))


def forecast_office(options: OfficeOptions) -> dict[str, int]:
    """The number of tasks of a build; it asks no model."""
    return {"tasks": len(all_intents()) * options.per_intent, "model_calls_at_most": 0}


BUILDER = SuiteBuilder(OfficeOptions, build_office, forecast_office)


def import_workbench(source: Path, place: Path, progress: Progress) -> Made:
    """Read WorkBench's tables, tasks and published answers; nothing is written if any of it is damaged."""
    from worksmith.evals.kinds.office.recognition import with_gold_plans
    from worksmith.evals.kinds.office.records import Records
    from worksmith.evals.kinds.office.workbench.tasks import read_tasks
    from worksmith.tools.kinds.office.importing import NOW, ORIGIN, import_tables

    progress(f"reading tables and tasks from {source}")
    tables = import_tables(source)
    tasks = read_tasks(source, Records.of_tables(NOW, tables))
    world = write_world(
        place,
        world_kind("office").tables,
        tables,
        kind="office",
        origin=ORIGIN,
        now=NOW,
        persona=SAM,
        licence="MIT",
    )
    progress("looking for gold plans")
    return Made(world, with_gold_plans(world, tasks))
