"""Recorded runs in the original's file format: replaying them gives the verdicts that scoring them gives.

Most rows are of a weak model: runs that died, ran out of steps or lost their transcript.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_office import as_json
from worksmith.evals.scoring.actions import format_action
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task

TOO_LONG = "Context window exceeded"
STOPPED = "Agent stopped due to iteration limit or time limit."
CRASHED = 'can only concatenate str (not "NoneType") to str'
ENDS = {
    # By what the row is of: its error, and the status of the episode that replays it.
    "right": ("", "finished"),
    "right, context window": (TOO_LONG, "context_limit"),
    "lost, context window": (TOO_LONG, "context_limit"),
    "right, iteration limit": (STOPPED, "step_limit"),
    "repeats itself": (STOPPED, "step_limit"),
    "right, crashed": (CRASHED, "program_error"),
    "no call": ("", "finished"),
    "no transcript": ("", "finished"),
    "bare text": ("", "finished"),
    "bare text, crashed": ("'str' object has no attribute 'items'", "program_error"),
    "no such tool": ("", "finished"),
}


def row(task: Task, of: str) -> dict[str, str]:
    """A row of a result table as the original writes it."""
    error, _ = ENDS[of]
    calls = [(step.tool, dict(step.arguments)) for step in task.gold_plan or ()]
    if of in ("lost, context window", "no call"):
        calls = []
    if of == "repeats itself":
        calls = calls[:1] * 20
    said = [
        f"AgentAction(tool={tool!r}, tool_input={given!r}, log='Thought: go.\\nAction:')"
        for tool, given in calls
    ]
    if of.startswith("bare text"):
        said = ["AgentAction(tool='email.search_emails', tool_input='budget', log='')", *said]
    if of == "no such tool":
        said = ["AgentAction(tool='_Exception', tool_input='Invalid format', log='')", *said]
    steps = ", ".join(f"({each}, 'seen')" for each in said)
    kept = f"{{'input': {task.query!r}, 'output': 'Done.', 'intermediate_steps': [{steps}]}}"
    lost = of in ("lost, context window", "no transcript")
    return {
        "query": task.query,
        "function_calls": repr([format_action(tool, given) for tool, given in calls]),
        "full_response": "" if lost else kept,
        "error": error,
    }


@pytest.fixture(scope="module")
def runs(office: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the test tasks: of a weak model, and of one that is right whenever it ends."""
    tasks = [task for task in Suite.open(office).tasks if task.split == "test"]
    folder = tmp_path_factory.mktemp("runs")
    of_runs = {"weak": list(ENDS), "strong": ["right", "right", "right", "right, context window"]}
    for model, kinds in of_runs.items():
        with (folder / f"{model}_all_2024-03-21_14-57-26.csv").open(
            "w", newline="", encoding="utf-8"
        ) as file:
            rows = [row(task, kinds[number % len(kinds)]) for number, task in enumerate(tasks)]
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    return folder


def correct(rows: list[Any]) -> dict[tuple[str, str], bool]:
    return {(row["run"].replace(" ", "-"), row["task_id"]): row["correct"] for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["act", "direct"])
def test_a_replay_has_the_verdicts_of_the_score(strategy: str, office: Path, runs: Path, here: Path) -> None:
    scored = as_json("score", office, "--predictions", runs)
    replayed = as_json(
        "eval", office, "--split", "test", "--strategy", strategy, "--lm", f"replay:{runs}", "--no-track"
    )  # fmt: skip

    assert correct(replayed["rows"]) == correct(scored["rows"])
    assert {run["summary"]["errors"] for run in replayed["runs"]} == {0}
    assert {run["run"]: run["summary"]["scores"]["outcome"]["value"] for run in replayed["runs"]} == {
        name.replace(" ", "-"): found["accuracy"]["value"]
        for name, found in scored["summary"]["by_run"].items()
    }
    if strategy == "act":
        ends = [row["status"] for row in replayed["rows"] if row["run"].startswith("weak")]
        meant = [status for _, status in ENDS.values()]
        assert ends == [meant[number % len(meant)] for number in range(len(ends))] != []
