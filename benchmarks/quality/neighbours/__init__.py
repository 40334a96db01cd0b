"""The same tasks and replies in other frameworks and in `worksmith eval`: scores compared row by row.

A model over HTTP does each task in one of twelve manners, most of them wrong: see `replies`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.quality.neighbours import in_inspect, in_mlflow, in_verifiers, ours
from benchmarks.quality.neighbours.worlds import Model, served, worlds

DESCRIPTION = "scores of the same replies in inspect_ai, verifiers, MLflow and here, row by row"

Outcomes = Callable[[Path, Model, int], dict[str, float | None]]
"""Runs tasks of a suite; takes its folder, the model and the number of tasks."""

TASKS = 30
"""Tasks of each world."""

NEIGHBOURS: dict[str, Outcomes] = {
    "inspect_ai": in_inspect.outcomes,
    "verifiers": in_verifiers.outcomes,
    "mlflow": in_mlflow.outcomes,
}


def run(quick: bool) -> dict[str, Any]:
    """Numbers of tasks by outcome here, of rows with the same score elsewhere, and the ids of all others."""
    figures = {}
    with TemporaryDirectory() as folder:
        suites = worlds(Path(folder), quick=quick)
        with served(suites) as model:
            for world, suite in suites.items():
                figures[world] = _compared(suite, model)
    return figures


def _compared(suite: Path, model: Model) -> dict[str, Any]:
    found, seconds = _timed(ours.outcomes, suite, model, TASKS)
    counts = Counter(found.values())
    figures: dict[str, Any] = {
        "tasks": len(found),
        "right": counts[1.0],
        "wrong": counts[0.0],
        "not_graded": counts[None],
        "seconds": seconds,
    }
    for name, outcomes in NEIGHBOURS.items():
        other, seconds = _timed(outcomes, suite, model, TASKS)
        differing = sorted(task for task in found.keys() | other.keys() if found.get(task) != other.get(task))
        figures[name] = {"same": len(found) - len(differing), "differing": differing, "seconds": seconds}
    return figures


def _timed(
    outcomes: Outcomes, suite: Path, model: Model, limit: int
) -> tuple[dict[str, float | None], float]:
    started = time.perf_counter()
    return outcomes(suite, model, limit), round(time.perf_counter() - started, 1)
