"""A proposal tells nobody whether an overwritten value, which they may not read, was equal to the new one."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tests.tools.kinds.own_data.desk import write_policy
from tests.worksmith.serving.programs.running import served
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

HIDDEN = list(itertools.product(*VALUES.values()))
"""The hidden values of claims, all that there can be."""

changed = st.fixed_dictionaries({}, optional={name: st.sampled_from(each) for name, each in VALUES.items()})
calls: st.SearchStrategy[Any] = st.one_of(
    st.tuples(st.just("update"), changed),
    st.tuples(st.just("update"), st.just({"team": "red"})),
    st.tuples(st.just("delete"), st.just({})),
)
claims = st.integers(0, len(HIDDEN) - 1)


def desk(folder: Path, policy: Any) -> Environment:
    """Claims of the blue team with all values."""
    rows = [
        {"id": f"C-{number:03}", "team": "blue", "owner": "bo", **dict(zip(VALUES, values, strict=True))}
        for number, values in enumerate(HIDDEN)
    ]
    people = [{"id": id, "name": id, "team": team} for id, team in TEAMS.items()]
    tables = {"people": people, "claims": rows}
    env = Environment.from_tables(tables, personas="people", now="2026-01-05 09:00", folder=folder / "worlds")

    @env.tool
    def update(ctx: Context, claim: str, values: dict[str, str | int | float | bool | None]) -> None:
        """Change a claim."""
        ctx["claims"].update(claim, **values)

    @env.tool
    def delete(ctx: Context, claim: str) -> None:
        """Delete a claim."""
        ctx["claims"].delete(claim)

    env.use_policy(write_policy(folder, policy))
    return env


def commit(changes: ChangeSet) -> list[Any]:
    return [(each.table, each.operation, each.key, each.changed) for each in changes.changes]


Clients = tuple[httpx.Client, ...]


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Clients]]:
    with ExitStack() as stack:
        found = []
        for policy in POLICIES:
            folder = tmp_path_factory.mktemp("desk")
            env = desk(folder, policy)
            at = stack.enter_context(served(env, folder, commit=commit, approver="roles=approver"))
            clients = [at.client(who, roles="approver") for who in ("ann", "cy")]
            found.append(tuple(stack.enter_context(each) for each in clients))
        yield found


def told(clients: Clients, claim: str, task: list[Any], stream: bool) -> str:
    """All that ann, whose task it is, and cy, who may read no more, are told about a change of a claim."""
    ann, cy = clients
    spelled = json.dumps(
        [[f"tools.{name}", {"claim": claim, **({"values": each} if each else {})}] for name, each in task]
    )
    found = [ann.post("/tasks", json={"task": spelled, "stream": stream}).text]
    for each in ann.get("/changes").json()["changes"]:
        found += [who.get(f"/changes/{each['id']}").text for who in (ann, cy)]
        decision = {"digest": each["digest"]}
        found += [who.post(f"/changes/{each['id']}/approve", json=decision).text for who in (cy, ann)]
    text = re.sub(rf"\b[0-9a-f]{{32,64}}\b|{claim}", "-", json.dumps(found))
    return re.sub(r'((created|expires|seconds)\\*": *)[0-9.e-]+', r"\1-", text)


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    policy=st.integers(0, len(POLICIES) - 1),
    pair=st.tuples(claims, claims),
    task=st.lists(calls, min_size=1, max_size=3),
    stream=st.booleans(),
)
@example(0, (0, 70), [("update", dict(zip(VALUES, HIDDEN[0], strict=True)))], False)
@example(1, (0, 143), [("update", dict(zip(VALUES, HIDDEN[143], strict=True)))], True)
@example(1, (0, 143), [("delete", {})], False)
@example(2, (0, 70), [("update", {"paid": True}), ("update", {"team": "red"})], False)
def test_proposals_do_not_depend_on_hidden_values(
    desks: list[Clients], policy: int, pair: tuple[int, int], task: list[Any], stream: bool
) -> None:
    one, other = (told(desks[policy], f"C-{number:03}", task, stream) for number in pair)
    assert one == other
