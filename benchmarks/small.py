"""A small language model on all kinds of worlds: `local/smollm2`, uncompiled and compiled, beside others.

Strategy act on test tasks, spread evenly. The compiled program shows the two demonstrations nearest to the
task, from gold plans of train tasks. Replies and episodes are bounded, so that two cores finish. Nothing is
cached. It needs the extra `small`, and about a minute a task on two cores.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from worksmith.evals.building import build_suite
from worksmith.evals.records.summary import interval_json
from worksmith.evals.running.study import Row, Study

NAME = "small"
DESCRIPTION = "local/smollm2 in four worlds, uncompiled and with two demonstrations, beside local/analogy"

WORLDS = ("office", "enterprise", "crm", "own_data")

MODELS = ("local/smollm2 max_tokens=128", "local/analogy")

_MEANS = ("model_calls", "prompt_tokens", "completion_tokens", "seconds")

_DEMOS, _STEPS, _TASKS, _QUICK = 2, 3, 20, 1


def run(quick: bool) -> dict[str, Any]:
    """The figures of each world."""
    return {world: measured(world, _QUICK if quick else _TASKS) for world in WORLDS[: 1 if quick else None]}


def measured(world: str, tasks: int) -> dict[str, Any]:
    """The figures of each arm on this many tasks of a world."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        study = _study(_suite(world, Path(folder)), Path(folder), tasks)
        figures = {_label(row): _figures(row) for row in study.rows}
    return {"tasks": tasks, "arms": figures, "seconds": round(time.perf_counter() - started, 1)}


def _suite(world: str, folder: Path) -> Path:
    if world != "own_data":
        return build_suite(world, folder / world).path
    from worksmith.jobs.project import new_project
    from worksmith.jobs.settings.suites import NewSettings

    new_project(NewSettings(folder=folder / world))
    return folder / world


def _study(suite: Path, folder: Path, tasks: int) -> Study:
    from worksmith.evals.tracking import Tracker
    from worksmith.jobs.compare_plan import plan_comparison
    from worksmith.jobs.compilation import compile
    from worksmith.jobs.settings.programs import CompareSettings, CompileSettings

    program = folder / "nearest.json"
    # The nearest demonstrations are the same for every model.
    compile(
        CompileSettings(
            suite=suite,
            out=program,
            optimizer="knn",
            strategy="act",
            demos=_DEMOS,
            dev_limit=1,
            accept="best",
            max_steps=_STEPS,
            track=False,
        )
    )
    settings = CompareSettings(
        suite=suite,
        strategies=("act",),
        optimizers=("none",),
        programs=(str(program),),
        lm=MODELS,
        limit=tasks,
        max_steps=_STEPS,
        workers=4,
        no_cache=True,
        track=False,
    )
    plan = replace(plan_comparison(settings), logs=folder / "logs")
    with Tracker().start(NAME) as nothing:
        return plan.run(nothing)


def _label(row: Row) -> str:
    return f"{row.arm.label}, {row.result.model}" if not row.arm.baseline else row.arm.label


def _figures(row: Row) -> dict[str, Any]:
    records = row.result.records
    return {
        "outcome": interval_json(row.summary.scores["outcome"]),
        "unwanted_side_effects": row.summary.scores["unwanted_side_effects"].value,
        "endings": row.summary.statuses,
        "calls": dict(Counter(call.status for record in records for call in record.calls)),
        "means": {name: round(row.summary.means.get(name, 0.0), 1) for name in _MEANS},
    }
