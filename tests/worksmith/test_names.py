"""The public names: few, lazy, typed."""

from __future__ import annotations

import ast
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import worksmith as ws

ROOT = Path(__file__).parents[2]
HEAVY = ("dspy", "mlflow", "torch", "pandas", "numpy", "pydantic", "chromadb", "litellm")


def test_there_are_few_and_all_are_there() -> None:
    assert len(ws.__all__) <= 26
    assert set(dir(ws)) == set(ws.__all__)
    for name in ws.__all__:
        assert getattr(ws, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'evaluations'"):
        _ = ws.evaluations


def test_type_checkers_see_the_same_names_at_the_same_places() -> None:
    tree = ast.parse((ROOT / "worksmith" / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        name.asname: each.module
        for each in ast.walk(block)
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }
    assert seen == ws._PLACES


@pytest.mark.parametrize("name", [name for name in ws.__all__ if name != "__version__"])
def test_help_shows_the_parameters(name: str) -> None:
    found = getattr(ws, name)
    signature = inspect.signature(found)
    assert signature.parameters
    assert signature.parameters.keys().isdisjoint({"args", "kwargs"})
    assert f"{name}{signature}" in pydoc.plain(pydoc.render_doc(found))


def test_a_class_of_the_users_shows_its_own_parameters() -> None:
    class Clerk(ws.Agent):
        def __init__(self, desk: str) -> None:
            super().__init__(desk)

    assert list(inspect.signature(Clerk).parameters) == ["desk"]
    assert "strategy" not in inspect.signature(ws.Agent("react")).parameters


def test_nothing_heavy_is_loaded_before_a_name_is_used() -> None:
    code = "import sys, worksmith; print([name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_package_is_typed() -> None:
    assert (ROOT / "worksmith" / "py.typed").is_file()


SCRIPT = '''
from __future__ import annotations

from typing import Any

import worksmith as ws

env = ws.Environment.from_tables({"tickets": [{"id": "T-1", "status": "open"}]}, now="2026-01-05 09:00")


@env.tool
def close(ctx: ws.Context, ticket_id: str) -> str:
    """Close a ticket."""
    who: ws.Persona = ctx.persona
    if who.id != "user":
        raise ws.ToolError("nobody else closes tickets")
    ctx["tickets"].update(ticket_id, status="closed")
    return "closed"


@env.tool(writes=False, toolkit="reading")
def count(ctx: ws.Context) -> int:
    """How many tickets are open."""
    return ctx["tickets"].count(status="open")


answer: int = count
suite = ws.Suite(env, "tasks.jsonl")
tasks: list[ws.Task] = list(suite.tasks)
agent = ws.Agent("react", env, max_steps=5)
name: str = ws.lm("local/apprentice").model
budget = ws.Budget(usd=2, calls=100, tokens=10_000, minutes=1)


def metric(example: Any, prediction: Any, trace: object = None) -> float:
    return float(example.answer == prediction.answer)


def own(task: ws.AgentTask) -> ws.Answer:
    tools: ws.AgentTools = task.tools
    return ws.Answer(tools.call("close", {"ticket_id": task.text}))


for optimizer in (ws.Race(budget=budget), ws.Nearest(metric), ws.Bootstrap(demos=4), ws.Tpe(candidates=2)):
    better = optimizer.compile(agent, trainset=suite.train, valset=suite.dev)
try:
    result: ws.Evaluation = ws.evaluate(better, suite.test, lm="local/apprentice", trials=2, track=False)
    value: float = result.summary.scores["outcome"].value
    compared: ws.Comparison = ws.compare([agent, better, ws.OwnAgent(own)], suite.test)
    compared.report("report.html")
    ws.judge(result, "local/rubric")
    again: ws.Agent = ws.load("agent.json", env)
except ws.InputError as error:
    base: ws.WorksmithError = error
print(ws.__version__.upper())
'''


@pytest.mark.slow
def test_a_users_script_checks_under_mypy_strict(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    # By name alone: of a script that it knows, mypy tells the path of the earlier run.
    faults = [line for line in done.stdout.splitlines() if f"/{script.name}:" in line]
    (wrong,) = faults
    assert 'variable has type "int"' in wrong
    assert "Callable[[Context], int]" in wrong
    assert all(f"ws.{name}" in SCRIPT for name in ws.__all__)
