"""What a trace bank made of somebody else's runs is worth: GPT-4's published runs against gold plans.

The runs are on the real tasks. Those of their train split become the bank, dev and test tasks give nothing
to it. Each bank is compiled with `knn` for `local/analogy`, which is no language model, and the programs meet
on the test tasks of the real suite and of a generated one.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.building import build_suite, import_suite
from worksmith.evals.records.summary import interval_json

if TYPE_CHECKING:
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.running.study import Arm
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.demos.trace_bank import TraceBank

NAME = "bank"
DESCRIPTION = "a bank from GPT-4's published runs: verdicts on replay, gaps, and what compiling with it gains"

REAL = Path("../shared/data/workbench")
"""The published system's own files, in a checkout that has them."""

_MODES = ("all", "domains")


def run(quick: bool) -> dict[str, Any]:
    """Replay the runs, compare the verdicts with the published ones, compile with each bank."""
    if not REAL.is_dir():
        return {"skipped": f"needs the published files in {REAL}"}

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        real = import_suite("workbench", REAL, place / "real")
        generated = build_suite("office", place / "office")
        replayed = {mode: _replayed(real, mode, place) for mode in _MODES}
        train = real.select(split="train")
        banks = {
            "gold": _bank(real, train, ["gold"], place / "gold"),
            "gpt-4": _bank(real, train, [f"replay:{REAL / 'results'}"], place / "gpt-4"),
            "gpt-4, then gold": _bank(real, train, [f"replay:{REAL / 'results'}", "gold"], place / "both"),
        }
        taught = {d.task_id for d in banks["gpt-4"].demonstrations}
        same = [task for task in train if task.id in taught]
        banks["gold on gpt-4's tasks"] = _bank(real, same, ["gold"], place / "same")
        limit = 24 if quick else None
        figures = {
            "lm": "local/analogy (no language model)",
            "replayed": replayed,
            "banks": {name: _facts(bank) for name, bank in banks.items()},
            "real": _compared(real, banks, real.select(split="test", limit=limit), place / "logs-real"),
            "generated": _compared(
                generated, banks, generated.select(split="test", limit=limit), place / "logs-generated"
            ),
        }
    return figures | {"seconds": round(time.perf_counter() - started, 1)}


def _replayed(suite: Suite, mode: str, place: Path) -> dict[str, Any]:
    """One of the two runs on all tasks: how many verdicts are the published ones, and what was lost."""
    lines = (json.loads(line) for line in (REAL / "reference_verdicts.jsonl").read_text().splitlines())
    published = {line["query"]: line["correct"] for line in lines if line["mode"] == mode}
    files = place / f"results-{mode}"
    for file in (REAL / "results").glob(f"*/*_{mode}_*.csv"):
        target = files / file.parent.name / file.name
        target.parent.mkdir(parents=True)
        target.write_bytes(file.read_bytes())
    bank = _bank(suite, suite.tasks, [f"replay:{files}"], place / f"replay-{mode}")
    queries = {task.id: task.query for task in suite.tasks}
    right = {d.task_id for d in bank.demonstrations}
    idle = {gap.task_id for gap in bank.gaps if gap.kind == "called no tool"}
    return {
        "tasks": len(queries),
        "published_correct": sum(published.values()),
        "demonstrations": len(right),
        "gaps": _by_kind(bank),
        "right_but_called_no_tool": sum(published[queries[task_id]] for task_id in idle),
        "verdicts_that_differ": sum(
            published[query] != (task_id in right or task_id in idle) for task_id, query in queries.items()
        ),
    }


def _bank(suite: Suite, tasks: Sequence[Task], sources: list[str], folder: Path) -> TraceBank:
    from worksmith.jobs.parts.bank_sources import attempts_of
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.optimizers.demos.bank_building import Attempt, build_bank
    from worksmith.optimizers.rollouts import Rollouts

    def rollouts(number: int, attempt: Attempt) -> Rollouts:
        return Rollouts(suite.env, attempt.lm, folder / str(number), workers=4)

    agent = new_agent(suite, AgentSettings(toolset="all"), "react")
    return build_bank(agent, tasks, attempts_of(sources, tasks), rollouts)


def _facts(bank: TraceBank) -> dict[str, Any]:
    return {
        "demonstrations": len(bank),
        "intents": len({d.intent for d in bank.demonstrations}),
        "calls_each": round(sum(len(d.tools) for d in bank.demonstrations) / len(bank), 2),
        "gaps": _by_kind(bank),
    }


def _by_kind(bank: TraceBank) -> dict[str, int]:
    return dict(Counter(gap.kind for gap in bank.gaps).most_common())


def _compared(
    suite: Suite, banks: Mapping[str, TraceBank], tasks: Sequence[Task], logs: Path
) -> dict[str, Any]:
    """The outcome with each bank; `gain` is the paired difference to the program without demonstrations."""
    from worksmith.evals.records.log import EpisodeLog
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings
    from worksmith.evals.running.study import Arm, run_study
    from worksmith.jobs.parts.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.demos.selection import Display
    from worksmith.optimizers.demos.showing import show
    from worksmith.optimizers.settings import Settings

    agent = new_agent(suite, AgentSettings(toolset="all"), "react")
    held_back = [*suite.select(split="dev"), *suite.select(split="test")]

    def measure(arm: Arm) -> EvalResult:
        program: Any = agent
        if arm.label in banks:
            bank = banks[arm.label].usable(held_back)
            program = show(agent, Display(searched=bank.demonstrations, count=16), Settings()).program
        with EpisodeLog.open(logs / f"{len(list(logs.glob('*')))}.jsonl") as log:
            return evaluate(
                program,
                tasks,
                EvalSettings(env=suite.env, lm=resolve("local/analogy"), workers=4, strategy=arm.label),
                log=log,
            )

    study = run_study([Arm("no demonstrations", "react"), *(Arm(name, "react") for name in banks)], measure)
    found: dict[str, Any] = {"tasks": len(tasks)}
    for row in study.rows:
        found[row.arm.label] = {
            "outcome": interval_json(row.summary.scores["outcome"]),
            "unwanted_side_effects": row.summary.scores["unwanted_side_effects"].value,
        }
        if row.against_first:
            found[row.arm.label]["gain"] = interval_json(row.against_first.difference)
    return found


def _quiet(_: str) -> None:
    """Nobody watches a benchmark build its suites."""
