"""A desk whose people write tickets that others of their department read, and keep some to themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import worksmith as ws

PEOPLE = {"ann": "IT", "bo": "IT", "cy": "HR", "di": "HR"}
SAME = {"same": "department"}
POLICY: dict[str, Any] = {
    "sources": {
        "people": {"rules": [{"id": "people", "operations": ["read"], "when": {"always": True}}]},
        "tickets": {"rules": [{"id": "tickets", "operations": ["read", "create", "update"], "when": SAME}]},
        "mails": {"rules": [{"id": "mails", "operations": ["read", "create"], "when": {"always": True}}]},
    }
}


def desk(folder: Path, policy: dict[str, Any] | None = POLICY) -> ws.Suite:
    """24 tasks of three intents: to say what a ticket is about, to close it, to send it on.

    Args:
        policy: None lets everybody read and change everything.
    """
    people = [{"id": name, "name": f"{name.title()} Rey", "department": of} for name, of in PEOPLE.items()]
    tickets = [
        {
            "id": f"T-{number}",
            "department": "IT" if number % 2 else "HR",
            "title": f"Case {number} of the week",
            "body": f"The machine number {number} makes a noise.",
            "status": "open",
            "owner": _asker(number),
        }
        for number in range(24)
    ]
    mails = [{"id": "M-1", "to": "ann", "text": "Welcome to the desk."}]
    env = ws.Environment.from_tables(
        {"people": people, "tickets": tickets, "mails": mails},
        now="2026-01-05 09:00",
        personas="people",
        folder=folder,
    )
    if policy is not None:
        (folder / "policy.json").write_text(json.dumps(policy))
        env.use_policy(folder / "policy.json")

    @env.tool(writes=False)
    def read(ctx: ws.Context, ticket: str) -> dict[str, Any]:
        """Read a ticket."""
        return ctx["tickets"].get(ticket)

    @env.tool
    def close(ctx: ws.Context, ticket: str, status: str) -> None:
        """Set the status of a ticket."""
        ctx["tickets"].update(ticket, status=status)

    @env.tool
    def send(ctx: ws.Context, to: str, text: str) -> None:
        """Send a mail."""
        ctx["mails"].insert({"id": f"M-{len(ctx['mails'].find()) + 1}", "to": to, "text": text})

    return ws.Suite(env, [_line(number) for number in range(24)], path=folder)


def _asker(number: int) -> str:
    return (("cy", "di"), ("ann", "bo"))[number % 2][number // 2 % 2]


def _line(number: int) -> dict[str, Any]:
    ticket, who = f"T-{number}", _asker(number)
    noise = f"The machine number {number} makes a noise."
    intent = ("say", "close", "send")[number // 2 % 3]
    after, query = {
        "say": ([], f"What is {ticket} about?"),
        "close": ([("close", {"ticket": ticket, "status": "closed"})], f"Read {ticket} and close it."),
        "send": ([("send", {"to": who, "text": noise})], f"Send me what {ticket} is about."),
    }[intent]
    plan = [("read", {"ticket": ticket}), *after]
    return {
        "id": f"{intent}-{number}",
        "query": query,
        "persona": who,
        "intent": intent,
        "split": ("train", "dev", "test")[number // 6 % 3] if number < 18 else "test",
        "plan": [{"tool": tool, "arguments": given} for tool, given in plan],
        **({"answer": noise} if intent == "say" else {}),
    }
