"""Nothing that a persona may not read reaches them, whatever tools of a user's own are asked to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.own_data import canaries
from worksmith.tools.environment import Environment
from worksmith.tools.persona import Persona
from worksmith.tools.policy import DENIED


def observed(env: Environment, persona: Persona) -> list[tuple[str, dict[str, Any], str]]:
    """Each call in an episode of its own, with all that comes back of it."""
    found = []
    for name, arguments in canaries.calls():
        episode = env.episode(persona=persona)
        seen = episode.call(f"tools.{name}", arguments)
        decision = episode.calls[-1].decision
        said = f"{decision.rule} {decision.reason}" if decision else ""
        found.append((name, arguments, f"{seen.status} {seen.text} {said}"))
    return found


def leaks(persona: Persona, seen: list[tuple[str, dict[str, Any], str]]) -> list[tuple[str, str]]:
    """The words that came back of cells that the persona may not read, each with the call."""
    return [
        (f"{name} {arguments}", word)
        for name, arguments, text in seen
        for word in canaries.foreign(persona, text, given=json.dumps(arguments))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("persona", canaries.PEOPLE)
def test_what_comes_back_does_not_depend_on_what_may_not_be_read(persona: str, tmp_path: Path) -> None:
    """Neither in texts, errors, orders, counts and ranks, nor in whether something is denied."""
    env = canaries.environment(tmp_path)
    who = env.persona(persona)
    other = canaries.environment(tmp_path, data=canaries.unseen(who))
    seen = observed(env, who)
    assert leaks(who, seen) == []
    for mine, theirs in zip(seen, observed(other, who), strict=True):
        assert mine == theirs


@pytest.mark.slow
def test_a_rule_too_many_is_noticed(tmp_path: Path) -> None:
    rules = json.loads(json.dumps(canaries.POLICY))
    rules["sources"]["tickets"]["rules"].append(
        {"id": "X", "operations": ["read"], "when": {"same": "department"}}
    )
    env = canaries.environment(tmp_path, rules)
    bob = env.persona("bob")
    assert leaks(bob, observed(env, bob))


@pytest.mark.parametrize(
    "where",
    [
        "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c) > 0",
        "(SELECT group_concat(sql) FROM sqlite_master) LIKE '%gold%'",
        "1 IN (VALUES (1))",
        "length(randomblob(1000000000)) > 0",
        "length(printf('%.*c', 1000000000, 'x')) > 0",
        "load_extension('x')",
        "1; SELECT 1",
        "1) --",
        "_row > 0",
        "rowid > 0",
    ],
)
def test_a_condition_is_about_columns_alone(where: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    env = canaries.environment(tmp_path_factory.getbasetemp())
    for call in ({"where": where}, {"order": where}):
        seen = env.episode(persona=env.persona("bob")).call("tools.find", {"table": "tickets", **call})
        assert seen.status == "tool_crash"
        assert "no condition or order over the columns" in seen.text


@each_row(
    ("tool", "arguments", "quoted"),
    [
        ("get", {"table": "tickets", "key": "1"}, {"tickets/1", "tickets#private/1"}),
        ("get", {"table": "tickets", "key": "999"}, {"tickets/999"}),
        ("get", {"table": "notes", "key": "N4"}, {"notes/N4", "tickets/*"}),
        ("find", {"table": "tickets", "where": "number = 999"}, {"tickets/*"}),
        ("find", {"table": "tickets", "where": "secret = 'x'"}, {"tickets/*", "tickets#private/*"}),
        ("find", {"table": "tickets", "order": "secret", "where": "0"}, {"tickets/*", "tickets#private/*"}),
        ("count", {"table": "tickets", "where": "vip = 0"}, {"tickets/*"}),
        ("select", {"sql": "SELECT count(number) FROM tickets"}, {"tickets/*"}),
        ("select", {"sql": "SELECT max(secret) FROM tickets"}, {"tickets/*", "tickets#private/*"}),
        ("select", {"sql": "SELECT * FROM tickets"}, {"tickets/*", "tickets#private/*"}),
        ("delete", {"table": "tickets", "key": "999"}, {"tickets/999"}),
        ("insert", {"table": "notes", "values": {"id": "N1"}}, {DENIED, "notes/*", "tickets/*"}),
        ("own", {"attribute": "role"}, {"people/ann", "people#private/ann"}),
    ],
)
def test_a_call_quotes_all_that_its_result_depends_on(
    tool: str, arguments: dict[str, Any], quoted: set[str], tmp_path: Path
) -> None:
    """A choice depends on what it leaves out, and a missing record on what could be there."""
    env = canaries.environment(tmp_path)
    episode = env.episode(persona=env.persona("ann"))
    episode.call(f"tools.{tool}", arguments)
    assert set(episode.calls[-1].reads) == quoted


def test_an_error_tells_nothing_of_hidden_rows(tmp_path: Path) -> None:
    """Rules that look into other tables are tested after other conditions, if SQLite may choose."""
    env = canaries.environment(tmp_path)
    hidden = str(canaries.rows()["notes"][0]["text"])
    seen = []
    for word in (hidden, "nothing"):
        where = f"CASE WHEN text = '{word}' THEN {canaries.OVERFLOW} ELSE 0 END"
        episode = env.episode(persona=env.persona("bob"))
        seen.append(
            [
                episode.call(f"tools.{tool}", {"table": "notes", "where": where}).text
                for tool in ("find", "count")
            ]
        )
    assert seen == [["[]", "0"]] * 2


def test_what_a_tool_tells_of_its_persona_is_quoted(tmp_path: Path) -> None:
    """Bob's manager may see his salary, a colleague only his role, and others nothing of him."""
    env = canaries.environment(tmp_path)
    episode = env.episode(persona=env.persona("bob"))
    assert episode.call("tools.own", {"attribute": "role"}).status == "ok"
    quoted = frozenset(episode.calls[-1].reads)
    assert {who for who in canaries.PEOPLE if env.unreadable(env.persona(who), quoted)} == {
        "cy",
        "dee",
        "eve",
    }


def test_a_key_is_no_mark_of_private_fields(tmp_path: Path) -> None:
    """Bob reads the record P and not the one whose key looks like the private part of it."""
    data = canaries.rows()
    person = data["people"][0]
    data["people"] += [
        {**person, "id": "P", "department": "IT", "manager": None},
        *({**person, "id": key, "department": "HR", "manager": None} for key in ("P#private", "*x", "a/b")),
    ]
    env = canaries.environment(tmp_path, data=data)
    bob = env.persona("bob")
    marks = {"people/P", "people/P#private", "people#private/P", "people/*x", "people/a/b"}
    assert env.unreadable(bob, frozenset(marks)) == marks - {"people/P"}


@pytest.mark.parametrize(
    ("who", "tool", "arguments", "named"),
    [
        ("bob", "get", {"table": "people", "key": "ann"}, "rating, salary"),
        ("bob", "get", {"table": "people", "key": "bob"}, ""),
        ("ann", "get", {"table": "people", "key": "bob"}, ""),
        ("bob", "find", {"table": "people"}, "rating, salary"),
        ("bob", "find", {"table": "tickets"}, "secret"),
        ("bob", "select", {"sql": "SELECT id, salary FROM people"}, "salary"),
        ("bob", "select", {"sql": "SELECT id FROM people"}, ""),
        ("bob", "count", {"table": "people"}, ""),
    ],
)
def test_an_observation_names_the_fields_that_are_withheld(
    who: str, tool: str, arguments: dict[str, str], named: str, tmp_path: Path
) -> None:
    """An empty cell alone could as well mean that nothing is known."""
    env = canaries.environment(tmp_path)
    seen = env.episode(persona=env.persona(who)).call(f"tools.{tool}", arguments)
    assert seen.status == "ok", seen.text
    if isinstance(seen.value, dict):
        assert seen.value.get("withheld", "") == named
    elif named:
        assert seen.text.endswith(f"\nwithheld: {named}")
    else:
        assert "withheld" not in seen.text
