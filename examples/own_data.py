"""A hotel's help desk: three tables, five tools, rules and 40 tasks; an agent before and after a compile."""

from pathlib import Path

import worksmith as ws

DESK = Path(__file__).with_name("helpdesk")
tables = {name: DESK / f"{name}.csv" for name in ("people", "tickets", "articles")}
env = ws.Environment.from_tables(tables, now="2026-01-05 09:00", personas="people")
env.index("articles", text="{title}\n{body}")
env.use_policy(DESK / "policy.json")  # all may read; tickets are opened and changed by their own department


@env.tool(writes=False)
def find_tickets(ctx: ws.Context, column: str, value: str) -> list[dict[str, object]]:
    """The tickets with this value in a column: ticket_id, title, requester, status or priority."""
    return ctx["tickets"].find({column: value})


@env.tool(writes=False)
def search_articles(ctx: ws.Context, words: str) -> list[dict[str, object]]:
    """The articles that are nearest to some words."""
    return ctx["articles"].search(words, k=3)


@env.tool
def open_ticket(ctx: ws.Context, title: str, priority: str) -> object:
    """Open a ticket for the user's department."""
    of = {"department": ctx.persona.department, "requester": ctx.persona.name, "status": "open"}
    return ctx["tickets"].insert({"title": title, "priority": priority, **of})


@env.tool
def set_priority(ctx: ws.Context, ticket_id: str, priority: str) -> None:
    """Give a ticket another priority: low, normal or high."""
    ctx["tickets"].update(ticket_id, priority=priority)


@env.tool
def close_ticket(ctx: ws.Context, ticket_id: str, resolution: str) -> None:
    """Close a ticket."""
    ctx["tickets"].update(ticket_id, status="closed", resolution=resolution)


suite = ws.Suite(env, DESK / "tasks.jsonl")  # dealt into train, dev and test
agent = ws.Agent("act", env)

if __name__ == "__main__":
    better = ws.KNN(accept="best").compile(agent, trainset=suite.train, valset=suite.dev)
    comparison = ws.compare([agent, better], suite.test, track=True)  # also a run in MLflow
    print(comparison)
    comparison.report("report.html")
