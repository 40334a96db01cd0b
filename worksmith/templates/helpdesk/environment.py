"""The environment: tables, the tools that work on them, and the rules about who may do what."""

from typing import Any, Literal

import worksmith as ws

env = ws.Environment.from_tables(
    {"people": "data/people.csv", "tickets": "data/tickets.csv", "articles": "data/articles.csv"},
    now="2026-01-05 09:00",  # the clock of every episode
    personas="people",  # agents work for the people of this table
)
env.index("articles", text="{title} {body}")  # what `search` below looks in
env.use_policy("policy.json")  # holds for every tool, whatever it does


Priority = Literal["low", "normal", "high"]

# A tool is a typed function. The agent sees its name, docstring and arguments; `ctx` gives the rows
# that the persona may read and change. Changes are rolled back when the episode ends.


@env.tool(writes=False)
def find_tickets(
    ctx: ws.Context,
    status: Literal["open", "closed"],
    priority: Priority | None = None,
) -> dict[str, Any]:
    """List the tickets with a status and, if given, a priority."""
    found = ctx["tickets"].find(status=status, priority=priority or ["low", "normal", "high"])
    return {"count": len(found), "tickets": [ticket["ticket_id"] for ticket in found]}


@env.tool(writes=False)
def read_ticket(ctx: ws.Context, ticket_id: str) -> dict[str, Any]:
    """Read a ticket."""
    return ctx["tickets"].get(ticket_id)


@env.tool
def assign_ticket(ctx: ws.Context, ticket_id: str, person: str) -> str:
    """Give a ticket to a person.

    Args:
        person: the full name.
    """
    if not ctx["people"].find(name=person):
        raise ws.ToolError(f"Nobody here is called {person}.")
    ctx["tickets"].update(ticket_id, assigned_to=person)
    return f"{ticket_id} is assigned to {person}."


@env.tool
def close_ticket(ctx: ws.Context, ticket_id: str, resolution: str) -> str:
    """Close a ticket with a note on how it was solved."""
    ctx["tickets"].update(ticket_id, status="closed", resolution=resolution)
    return f"{ticket_id} is closed."


@env.tool(writes=False)
def search_articles(ctx: ws.Context, query: str) -> list[dict[str, Any]]:
    """Search the articles of the knowledge base."""
    return ctx["articles"].search(query, k=3)
