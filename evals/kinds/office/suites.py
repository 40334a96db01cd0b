"""Office suites: generated ones, and the published tasks of WorkBench."""

from __future__ import annotations

from pathlib import Path

from evals.suite import Suite, write_suite
from evals.task_kind import BuildOptions, Progress
from tools.files.directories import directory_atomically
from tools.kinds.office.policy import SAM
from tools.world import write_world
from tools.world_kind import world_kind


def build_office(out: Path, options: BuildOptions, *, progress: Progress) -> Suite:
    """Generate a world and `per_intent` tasks for each of the 69 intents."""
    from evals.kinds.office.generate import PER_INTENT, generate
    from tools.kinds.office.generate import DEFAULT_NOW, build

    seed, scale = options.seed, options.scale
    progress(f"generating an office world (seed {seed}, scale {scale:g})")
    world = write_world(
        out,
        world_kind("office").tables,
        build(seed, scale, DEFAULT_NOW),
        kind="office",
        origin="generated",
        now=DEFAULT_NOW,
        persona=SAM,
        seed=seed,
        scale=scale,
    )
    progress("drawing tasks and executing their gold plans")
    return write_suite(world, generate(world, seed, per_intent=options.per_intent or PER_INTENT))


def forecast_office(options: BuildOptions) -> dict[str, int]:
    """How many tasks a build makes; it asks no model."""
    from evals.kinds.office.generate import PER_INTENT
    from evals.kinds.office.intents.registry import all_intents

    return {"tasks": len(all_intents()) * (options.per_intent or PER_INTENT), "model_calls_at_most": 0}


def import_workbench(source: Path, out: Path, *, progress: Progress) -> Suite:
    """Read WorkBench's tables, tasks and published answers; nothing is written if any of it is damaged."""
    from evals.kinds.office.recognition import with_gold_plans
    from evals.kinds.office.workbench.tasks import read_tasks
    from tools.kinds.office.importing import NOW, ORIGIN, import_tables

    progress(f"reading tables and tasks from {source}")
    tables = import_tables(source)
    tasks = read_tasks(source, tables)
    with directory_atomically(out) as directory:
        world = write_world(
            directory,
            world_kind("office").tables,
            tables,
            kind="office",
            origin=ORIGIN,
            now=NOW,
            persona=SAM,
            licence="MIT",
        )
        progress("looking for gold plans")
        write_suite(world, with_gold_plans(world, tasks))
    return Suite.open(out)
