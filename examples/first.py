"""Tickets of a help desk, two tools, tasks in a loop: an agent before and after compiling."""

import csv
from pathlib import Path

import worksmith as ws

tickets = Path(__file__).parent / "helpdesk" / "tickets.csv"
env = ws.Environment.from_tables({"tickets": tickets}, now="2026-01-05 09:00")


@env.tool(writes=False)
def read_ticket(ctx: ws.Context, ticket_id: str) -> dict[str, object]:
    """Read a ticket."""
    return ctx["tickets"].get(ticket_id)


@env.tool
def close_ticket(ctx: ws.Context, ticket_id: str, resolution: str) -> None:
    """Close a ticket."""
    ctx["tickets"].update(ticket_id, status="closed", resolution=resolution)


tasks = []  # or a file of JSON lines
for row in csv.DictReader(tickets.open()):
    key, closed = row["ticket_id"], {"status": "closed", "resolution": "repaired"}
    tasks += [
        {
            "query": f"Who reported {key}?",
            "answer": row["requester"],
            "plan": [{"tool": "read_ticket", "arguments": {"ticket_id": key}}],
        },
        {
            "query": f"Close {key} as repaired.",
            "changes": {"tickets": {key: closed}},
            "plan": [{"tool": "close_ticket", "arguments": {"ticket_id": key, "resolution": "repaired"}}],
        },
    ]

suite = ws.Suite(env, tasks)  # dealt into train, dev and test
agent = ws.Agent("act", env)  # or any DSPy program
better = ws.Bootstrap(candidates=1).compile(agent, trainset=suite.train, valset=suite.dev)
print(ws.compare([agent, better], suite.test))
