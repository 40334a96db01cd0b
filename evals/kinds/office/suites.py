"""Office suites: generated ones, and the published tasks of WorkBench."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from evals.kinds.office.generate import PER_INTENT, generate
from evals.kinds.office.intents.registry import all_intents
from evals.tasks.building import BuildContext, BuildOptions, Made, Progress, SuiteBuilder
from tools.kinds.office.generate import DEFAULT_NOW, build
from tools.kinds.office.policy import SAM
from tools.world import write_world
from tools.world_kind import world_kind


class OfficeOptions(BuildOptions):
    """Settings of an office suite.

    Attributes:
        per_intent: tasks for each of the 69 intents.
    """

    per_intent: int = Field(
        default=PER_INTENT,
        ge=1,
        le=200,
        description="Tasks for each intent of an office; others have quotas.",
    )


def build_office(place: Path, options: OfficeOptions, context: BuildContext) -> Made:
    """Generate a world and `per_intent` tasks for each intent."""
    seed, scale = options.seed, options.scale
    context.progress(f"generating an office world (seed {seed}, scale {scale:g})")
    world = write_world(
        place,
        world_kind("office").tables,
        build(seed, scale, DEFAULT_NOW),
        kind="office",
        origin="generated",
        now=DEFAULT_NOW,
        persona=SAM,
        seed=seed,
        scale=scale,
    )
    context.progress("drawing tasks and executing their gold plans")
    return Made(world, generate(world, seed, per_intent=options.per_intent))


def forecast_office(options: OfficeOptions) -> dict[str, int]:
    """The number of tasks of a build; it asks no model."""
    return {"tasks": len(all_intents()) * options.per_intent, "model_calls_at_most": 0}


BUILDER = SuiteBuilder(OfficeOptions, build_office, forecast_office)


def import_workbench(source: Path, place: Path, progress: Progress) -> Made:
    """Read WorkBench's tables, tasks and published answers; nothing is written if any of it is damaged."""
    from evals.kinds.office.recognition import with_gold_plans
    from evals.kinds.office.workbench.tasks import read_tasks
    from tools.kinds.office.importing import NOW, ORIGIN, import_tables

    progress(f"reading tables and tasks from {source}")
    tables = import_tables(source)
    tasks = read_tasks(source, tables)
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
