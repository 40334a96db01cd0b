"""What an episode does costs the same over large tables as over small ones, counted in steps of SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.policy import private_part
from worksmith.tools.sqlite.sandbox import Sandbox

SMALL, LARGE = 300, 3_000

ALL = ["read", "create", "update", "delete"]
PEOPLE = {"rules": [{"id": "P", "operations": ["read", "create"], "when": {"same": "team"}}]}
OPEN = {"people": PEOPLE, "tickets": {"rules": [{"id": "T", "operations": ALL, "when": {"always": True}}]}}
JOINED = {"may": {"operation": "read", "source": "people", "on": {"owner": "id"}}}
RULES = {
    "people": PEOPLE,
    "tickets": {
        "rules": [{"id": "T", "operations": ALL, "when": {"any": [{"same": "team"}, JOINED]}}],
        "private": {"fields": ["hours"], "rule": {"id": "H", "when": {"self": "owner"}}},
    },
}

WORK: dict[str, Callable[[Context], Any]] = {
    "get": lambda ctx: ctx["tickets"].get("T-101"),
    "find by key": lambda ctx: ctx["tickets"].find(ticket_id="T-101"),
    "find some": lambda ctx: ctx["tickets"].find(team="b", limit=3),
    "update": lambda ctx: ctx["tickets"].update("T-101", hours=1.5),
    "insert": lambda ctx: ctx["tickets"].insert({"team": "b"}),
    "insert with a number": lambda ctx: ctx["people"].insert({"team": "b"}),
    "delete": lambda ctx: ctx["tickets"].delete("T-101"),
}


def environment(folder: Path, rows: int, sources: Any) -> Environment:
    tickets = [
        {"ticket_id": f"T-{n}", "team": "ab"[n % 2], "owner": n + 1, "hours": n / 4} for n in range(rows)
    ]
    people = [{"id": n, "team": "ab"[n % 2]} for n in range(rows + 1)]
    env = Environment.from_tables(
        {"tickets": tickets, "people": people}, now="2026-01-05", personas="people", folder=folder
    )
    (folder / "policy.json").write_text(json.dumps({"sources": sources}))
    env.use_policy(folder / "policy.json")
    return env


class Steps:
    """Counts the steps of SQLite's machine in all sandboxes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        make = Sandbox.__init__

        def counted(sandbox: Sandbox, *arguments: Any) -> None:
            make(sandbox, *arguments)
            sandbox._connection.set_progress_handler(self._tick, 1, id=self)

        monkeypatch.setattr(Sandbox, "__init__", counted)

    def _tick(self) -> bool:
        self.count += 1
        return False


@pytest.mark.parametrize("sources", [OPEN, RULES], ids=["open", "rules"])
def test_work_by_key_does_not_depend_on_the_size(
    sources: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Steps(monkeypatch)
    steps: dict[str, list[int]] = {name: [] for name in (*WORK, "demonstration")}
    for rows in (SMALL, LARGE):
        env = environment(tmp_path, rows, sources)

        @env.tool
        def work(ctx: Context, name: str) -> str:
            """Do something."""
            return str(WORK[name](ctx))

        person = env.persona("7")
        for name in WORK:
            episode = env.episode(persona=person)
            counter.count = 0
            observation = episode.call("tools.work", {"name": name})
            assert observation.status == "ok", observation
            steps[name].append(counter.count)
        counter.count = 0
        quoted = frozenset({"tickets/T-101", private_part("tickets/T-102")})
        assert env.unreadable(person, quoted) == (
            quoted - {"tickets/T-101"} if sources is RULES else frozenset()
        )
        steps["demonstration"].append(counter.count)

    assert {name: pair for name, pair in steps.items() if pair[1] > 1.2 * pair[0] + 20} == {}
