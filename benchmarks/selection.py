"""What the ways to choose demonstrations are worth, and what their prompts take.

Bank: gold plans of the training tasks of a generated office suite. Model: `local/analogy`, which is no
language model. Each way shows up to 16 demonstrations; `gain` is the paired difference to the first way.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.building import build_suite
from worksmith.evals.records.summary import interval_json
from worksmith.optimizers.settings import Settings

if TYPE_CHECKING:
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.running.study import Arm
    from worksmith.evals.suite import Suite
    from worksmith.optimizers.demos.trace_bank import TraceBank

NAME = "selection"
DESCRIPTION = "outcome and prompt tokens of each way to choose demonstrations, in both units, with less room"

_DEMOS = 16
_WAYS: dict[str, dict[str, Any]] = {
    "covering": {"selection": "covering"},
    "random": {"selection": "random"},
    "nearest": {"selection": "nearest"},
    "mixture": {"selection": "mixture"},
    "nearest, 2000 tokens": {"selection": "nearest", "demo_tokens": 2000},
    "nearest, 4000 tokens": {"selection": "nearest", "demo_tokens": 4000},
    "steps, nearest": {"selection": "nearest", "demo_unit": "step"},
    "steps, nearest, 4000 tokens": {"selection": "nearest", "demo_unit": "step", "demo_tokens": 4000},
}


def run(quick: bool) -> dict[str, Any]:
    """Show one bank in every way to the test tasks."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        suite = build_suite("office", place / "office")
        bank = gold_bank(suite, place / "teacher")
        figures = _compared(suite, bank, 24 if quick else None, place / "logs")
    return {
        "lm": "local/analogy (no language model)",
        "bank": len(bank),
        **figures,
        "seconds": round(time.perf_counter() - started, 1),
    }


def gold_bank(suite: Suite, folder: Path) -> TraceBank:
    """The bank of gold plans of the training tasks."""
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.demos.collection import collect
    from worksmith.optimizers.rollouts import Rollouts

    teacher = Rollouts(suite.env, resolve("gold", tasks=suite.tasks), folder, workers=4)
    held_back = [*suite.select(split="dev"), *suite.select(split="test")]
    return collect(
        new_agent(suite, AgentSettings(toolset="all"), "react"), suite.select(split="train"), teacher
    ).usable(held_back)


def _compared(suite: Suite, bank: TraceBank, limit: int | None, logs: Path) -> dict[str, Any]:
    from worksmith.evals.records.log import EpisodeLog
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings
    from worksmith.evals.running.study import Arm, run_study
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.demos.selection import Selector, selection_called
    from worksmith.optimizers.demos.showing import show

    tasks = suite.select(split="test", limit=limit)
    agent = new_agent(suite, AgentSettings(toolset="all"), "react")

    def measure(arm: Arm) -> EvalResult:
        told = Settings(demos=_DEMOS, **_WAYS[arm.label])
        pool = Selector.of(bank, told.demo_unit)
        display = selection_called(told.selection or "").choose(pool, _DEMOS, seed=0)
        with EpisodeLog.open(logs / f"{list(_WAYS).index(arm.label)}.jsonl") as log:
            return evaluate(
                show(agent, display, told).program,
                tasks,
                EvalSettings(env=suite.env, lm=resolve("local/analogy"), workers=4, strategy=arm.label),
                log=log,
            )

    study = run_study([Arm(name, "react") for name in _WAYS], measure)
    found: dict[str, Any] = {"tasks": len(tasks)}
    for row in study.rows:
        calls = sum(record.model_calls for record in row.result.records)
        found[row.arm.label] = {
            "outcome": interval_json(row.summary.scores["outcome"]),
            "unwanted_side_effects": row.summary.scores["unwanted_side_effects"].value,
            "prompt_tokens_a_call": round(sum(r.prompt_tokens for r in row.result.records) / calls),
            "calls_a_task": round(calls / len(tasks), 2),
        }
        if row.against_first:
            found[row.arm.label]["gain"] = interval_json(row.against_first.difference)
    return found


def _quiet(_: str) -> None:
    """Nobody watches a benchmark build its suites."""
