"""What compiling gains: the same agent uncompiled and compiled, on generated and on real tasks.

Demonstrations come from the train split of the generated suite only; the real tasks, where they are at
hand, were never seen. The model is `local/analogy`, which is not a language model.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from worksmith.evals.building import build_suite, import_suite
from worksmith.evals.records.summary import interval_json
from worksmith.evals.running.study import Row, Study
from worksmith.evals.suite import Suite

NAME = "gain"
DESCRIPTION = (
    "outcome of react uncompiled, bootstrap and knn, with paired differences, generated and real tasks"
)

REAL = Path("../shared/data/workbench")
"""The published system's own files, in a checkout that has them."""

_OPTIMIZERS = ("none", "bootstrap", "knn")


def run(quick: bool) -> dict[str, Any]:
    """Compile on a generated suite; test there, on its held-out intents, and on the real tasks."""
    started = time.perf_counter()
    limit = 24 if quick else None
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        generated = build_suite("office", place / "office")
        figures: dict[str, Any] = {
            "lm": "local/analogy (no language model)",
            "generated": _figures(generated, generated, place, limit),
        }
        if not quick:
            figures["held_out_intents"] = _figures(
                generated, generated, place, limit, scheme="held_out_intents"
            )
        if REAL.is_dir():
            real = import_suite("workbench", REAL, place / "real")
            figures["real"] = _figures(real, generated, place, limit)
    figures["seconds"] = round(time.perf_counter() - started, 1)
    return figures


def _figures(
    suite: Suite, train: Suite, place: Path, limit: int | None, *, scheme: str = "standard"
) -> dict[str, Any]:
    """The outcome of each arm, and its difference to the uncompiled agent, with 95 % intervals."""
    study = _study(suite, train, place, limit, scheme)
    found = {row.arm.optimizer: _row(row) for row in study.rows if not row.arm.baseline}
    found |= {row.arm.label: _row(row) for row in study.rows if row.arm.baseline}
    return {"tasks": study.rows[0].summary.tasks, **found}


def _row(row: Row) -> dict[str, Any]:
    facts = {
        "outcome": interval_json(row.summary.scores["outcome"]),
        "unwanted_side_effects": row.summary.scores["unwanted_side_effects"].value,
        "errors": row.summary.errors,
    }
    if row.against_first:
        facts["gain"] = interval_json(row.against_first.difference)
    return facts


def _study(suite: Suite, train: Suite, place: Path, limit: int | None, scheme: str) -> Study:
    from worksmith.evals.tracking import Tracker
    from worksmith.jobs.compare_plan import plan_comparison
    from worksmith.jobs.settings.programs import CompareSettings

    settings = CompareSettings(
        suite=suite.path,
        train_suite=train.path,
        strategies=("react",),
        optimizers=_OPTIMIZERS,
        scheme="standard" if scheme == "standard" else "held_out_intents",
        limit=limit,
        split=None if train is not suite else "test",
        candidates=1 if limit else 4,
        toolset="all",
        workers=4,
    )
    plan = replace(plan_comparison(settings), logs=place / "logs")
    with Tracker().start("gain") as nothing:
        return plan.run(nothing)


def _quiet(_: str) -> None:
    """Nobody watches a benchmark build its suites."""
