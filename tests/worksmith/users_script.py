"""A script as users write them, for `mypy --strict`: tests do not run it."""

from __future__ import annotations

from typing import Any

import worksmith as ws

stock = ws.Table(lambda: [{"id": 1, "units": 3}], refresh=60)
env = ws.Environment.from_tables(
    {"tickets": [{"id": "T-1", "status": "open"}], "stock": stock}, now="2026-01-05 09:00"
)
fresh: bool = env.refresh()


def stored(database: ws.Database) -> None:
    env.commit(database.commit, settle=database.settle)


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


answer: int = count  # type: ignore[assignment]
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


told: list[ws.EvaluationProgress] = []
for optimizer in (ws.Race(budget=budget), ws.KNN(metric), ws.Bootstrap(demos=4, on_progress=told.append)):
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
version: str = ws.__version__
