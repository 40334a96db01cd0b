"""A proposal tells nobody whether an overwritten value, which they may not read, was equal to the new one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tests.worksmith.serving.programs.running import Served, served
from worksmith.tools.change_set import ChangeSet
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment

VALUES: dict[str, tuple[Any, ...]] = {
    "text": ("fired", "Fired", "", None),
    "amount": (1, 0, None),
    "ratio": (1, 1.0, 0.5, None),
    "paid": (True, False, None),
}
TEAMS = {"ann": "red", "bo": "blue", "cy": "green"}
TEAM = {"same": "team"}
ALWAYS = {"always": True}


def rules(read: Any, private: Any) -> dict[str, Any]:
    """Everybody may change all; whom `private` leaves out does not see the values."""
    write = {"id": "WRITE", "operations": ["create", "update", "delete"], "when": ALWAYS}
    hidden = {"fields": list(VALUES), "rule": {"id": "PRIVATE", "when": private}}
    people = {"rules": [{"id": "PEOPLE", "operations": ["read"], "when": ALWAYS}]}
    claims = {"private": hidden, "rules": [{"id": "READ", "operations": ["read"], "when": read}, write]}
    return {"sources": {"people": people, "claims": claims}}


POLICIES = (rules(TEAM, ALWAYS), rules(ALWAYS, TEAM), rules(TEAM, {"self": "owner"}))
"""Whole rows are hidden, private fields, or both."""

EQUAL = {"text": "fired", "amount": 1, "ratio": 1.0, "paid": True}
OTHER = {"text": "Fired", "amount": 0, "ratio": 0.5, "paid": None}
NOTHING = dict.fromkeys(VALUES)

cells = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()})
changed = st.fixed_dictionaries({}, optional={name: st.sampled_from(each) for name, each in VALUES.items()})
calls = st.one_of(
    st.tuples(st.just("update"), changed),
    st.tuples(st.just("update"), st.just({"team": "red"})),
    st.tuples(st.just("delete"), st.just({})),
    st.tuples(st.just("insert"), changed),
)


def world(folder: Path, policy: Any, hidden: dict[str, Any]) -> Environment:
    """A claim of the blue team with these values, between two that make the types of the columns plain."""
    plain = {"text": "plain", "amount": 7, "ratio": 2.5, "paid": True}
    rows = [
        {"id": f"C-{number}", "team": team, "owner": "bo", **(hidden if team == "blue" else plain)}
        for number, team in enumerate(("red", "blue", "red"), 1)
    ]
    people = [{"id": id, "name": id, "team": team} for id, team in TEAMS.items()]
    tables = {"people": people, "claims": rows}
    env = Environment.from_tables(tables, personas="people", now="2026-01-05 09:00", folder=folder / "worlds")

    @env.tool
    def update(ctx: Context, values: dict[str, str | int | float | bool | None]) -> None:
        """Change the claim."""
        ctx["claims"].update("C-2", **values)

    @env.tool
    def delete(ctx: Context) -> None:
        """Delete the claim."""
        ctx["claims"].delete("C-2")

    @env.tool
    def insert(ctx: Context, values: dict[str, str | int | float | bool | None]) -> None:
        """Add a claim of the blue team."""
        ctx["claims"].insert({"team": "blue", **values})

    (folder / "policy.json").write_text(json.dumps(policy))
    env.use_policy(folder / "policy.json")
    return env


def commit(changes: ChangeSet) -> list[Any]:
    return [(each.table, each.operation, each.key, each.changed) for each in changes.changes]


def told(at: Served, tasks: list[Any]) -> str:
    """All that the persona and an approver, who may read no more, are told about the changes of tasks."""
    found: list[Any] = []
    for number, task in enumerate(tasks):
        with at.client("ann", roles="approver") as ann, at.client("cy", roles="approver") as cy:
            spelled = json.dumps([[f"tools.{name}", {"values": each} if each else {}] for name, each in task])
            found.append(ann.post("/tasks", json={"task": spelled, "stream": number % 2 == 1}).text)
            for each in ann.get("/changes").json()["changes"]:
                found += [who.get(f"/changes/{each['id']}").text for who in (ann, cy)]
                decision = {"digest": each["digest"]}
                found += [who.post(f"/changes/{each['id']}/approve", json=decision).text for who in (cy, ann)]
            found.append(
                [
                    line
                    for line in ann.get("/metrics").text.splitlines()
                    if line.startswith("worksmith_changes_total")
                ]
            )
    text = re.sub(r"\b[0-9a-f]{32,64}\b", "-", json.dumps(found))
    return re.sub(r'((created|expires|seconds)\\*": *)[0-9.e-]+', r"\1-", text)


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    policy=st.sampled_from(POLICIES),
    worlds=st.tuples(cells, cells),
    tasks=st.lists(st.lists(calls, min_size=1, max_size=3), min_size=1, max_size=4),
)
@example(POLICIES[0], (EQUAL, OTHER), [[("update", EQUAL)], [("delete", {})], [("update", {"paid": True})]])
@example(POLICIES[1], (EQUAL, NOTHING), [[("update", EQUAL)], [("delete", {})], [("insert", {"paid": True})]])
@example(POLICIES[0], (EQUAL, OTHER), [[("update", EQUAL), ("update", {"team": "red"})]])
def test_proposals_do_not_depend_on_hidden_values(policy: Any, worlds: Any, tasks: list[Any]) -> None:
    replies = []
    for hidden in worlds:
        with TemporaryDirectory() as folder:
            env = world(Path(folder), policy, hidden)
            with served(env, Path(folder), commit=commit, approver=("roles", "approver")) as at:
                replies.append(told(at, tasks))
    assert replies[0] == replies[1]
