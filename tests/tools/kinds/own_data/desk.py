"""A small help desk of own tables and tools: people of two teams, their tickets, articles for all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from worksmith.tools.dispatch import Observation
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment

NOW = "2026-01-05 09:00"

TICKET = ("ticket_id", "title", "status", "priority", "team", "vip")
TABLES: dict[str, list[dict[str, Any]]] = {
    "people": [{"id": "ann", "name": "Ann", "team": "red"}, {"id": "bo", "name": "Bo", "team": "blue"}],
    "tickets": [
        dict(zip(TICKET, ("T-1", "Printer jams", "open", 2, "red", True), strict=True)),
        dict(zip(TICKET, ("T-2", "No network", "open", 3, "blue", False), strict=True)),
        dict(zip(TICKET, ("T-3", "New chair", "closed", 1, "red", False), strict=True)),
    ],
    "articles": [
        {"number": 7, "title": "Paper jams", "body": "Open the tray of the printer."},
        {"number": 9, "title": "Chairs", "body": "Ask the office."},
    ],
}

OF_TEAM = {
    "sources": {
        "people": {"rules": [{"id": "PEOPLE", "operations": ["read"], "when": {"always": True}}]},
        "tickets": {
            "rules": [
                {"id": "TEAM", "operations": ["read", "create", "update", "delete"], "when": {"same": "team"}}
            ]
        },
    }
}
"""Tickets are for the team; articles are for nobody."""


def bare(folder: Path, tables: dict[str, list[dict[str, Any]]] = TABLES, **settings: Any) -> Environment:
    """The environment without tools."""
    settings = {"personas": "people", "now": NOW, "folder": folder / "worlds", "sandboxes": 1, **settings}
    return Environment.from_tables(tables, **settings)


def with_tools(env: Environment) -> Environment:
    """The environment with the tools of the desk."""
    env.index("tickets", text="{title}: {status}")
    env.index("articles", text="{title}\n{body}")

    @env.tool
    def close_ticket(ctx: Context, ticket_id: str, resolution: Literal["fixed", "gone"] = "fixed") -> str:
        """Close a ticket."""
        ctx["tickets"].update(ticket_id, status=f"closed: {resolution}")
        return "closed"

    @env.tool
    def open_ticket(ctx: Context, title: str, priority: int = 1) -> Any:
        """Open a ticket for the team of the user."""
        team = ctx.persona.attributes["team"]
        return ctx["tickets"].insert({"title": title, "priority": priority, "team": team, "status": "open"})

    @env.tool
    def delete_ticket(ctx: Context, ticket_id: str) -> None:
        """Delete a ticket."""
        ctx["tickets"].delete(ticket_id)

    @env.tool(writes=False, toolkit="reading")
    def show(ctx: Context, table: str, key: str) -> dict[str, Any]:
        """Show one record."""
        return ctx[table].get(key)

    @env.tool(writes=False, toolkit="reading")
    def search(ctx: Context, table: str, words: str, k: int = 5) -> list[dict[str, Any]]:
        """Search a table."""
        return ctx[table].search(words, k)

    return env


def write_policy(folder: Path, rules: Any = OF_TEAM) -> Path:
    file = folder / "policy.json"
    file.write_text(json.dumps(rules))
    return file


def desk(folder: Path, rules: Any = None) -> Environment:
    """The environment with its tools, and with access rules if there are any."""
    env = with_tools(bare(folder))
    if rules is not None:
        env.use_policy(write_policy(folder, rules))
    return env


def call(env: Environment, name: str, who: str = "ann", /, **arguments: Any) -> Observation:
    """The reply to one call in an episode of its own."""
    return env.episode(persona=env.persona(who)).call(name, arguments)
