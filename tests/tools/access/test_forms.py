"""The compiled forms of a policy say the same as each other and as the rules in plain words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.access.memory_lookup import MemoryLookup
from tests.tools.access.strategies import (
    Plain,
    Record,
    database,
    documents,
    guard_of,
    personas,
    policy_of,
    worlds,
)
from worksmith.tools.access.lookup import DatabaseLookup
from worksmith.tools.persona import Persona

World = dict[str, list[Record]]


def _each(fields: set[str]) -> list[str | None]:
    """The fields; None asks about the whole record."""
    return [*fields] or [None]


@pytest.mark.slow
@settings(max_examples=20)
@given(documents(), worlds, personas)
def test_python_and_sql_agree_with_the_rules(document: Any, world: World, persona: Persona) -> None:
    policy, plain, connection = policy_of(document), Plain(document, world, persona), database(world)
    guard = guard_of(connection, persona, policy)
    lookups = (MemoryLookup(world), DatabaseLookup(connection))
    for source in ("boxes", "things"):
        expected = [r["key"] for r in world[source] if plain.may(source, "read", r)]
        for lookup in lookups:
            allowed = [
                r["key"] for r in world[source] if policy.allows(persona, source, "read", r, lookup).allow
            ]
            assert allowed == expected
        assert guard.keys(source) == expected
        # Who could be allowed no record at all is turned away; nobody else is.
        assert not expected or policy.possible(persona, source, "read").allow


@pytest.mark.slow
@settings(max_examples=20)
@given(documents(), worlds, personas)
def test_private_fields_are_null_exactly_where_they_are_private(
    document: Any, world: World, persona: Persona
) -> None:
    policy, plain, connection = policy_of(document), Plain(document, world, persona), database(world)
    guard = guard_of(connection, persona, policy)
    expected = [
        {**r, "secret": r["secret"] if plain.sees("things", r) else None}
        for r in world["things"]
        if plain.may("things", "read", r)
    ]
    assert guard.find("things") == expected
    readable = [str(r["key"]) for r in expected]
    hidden = {str(r["key"]) for r in world["things"] if not plain.sees("things", r)} & set(readable)
    assert guard.withheld("things", readable) == hidden
    # The same through somebody's own SELECT.
    assert guard.select("SELECT * FROM things") == expected


@pytest.mark.slow
@settings(max_examples=20)
@given(documents(), worlds, personas, st.sets(st.sampled_from(["status", "owner", "shelf"]), max_size=3))
def test_every_changed_field_needs_a_rule(
    document: Any, world: World, persona: Persona, fields: set[str]
) -> None:
    policy, plain, connection = policy_of(document), Plain(document, world, persona), database(world)
    for record in world["things"]:
        expected = all(plain.may("things", "update", record, field) for field in _each(fields))
        decision = policy.allows(persona, "things", "update", record, MemoryLookup(world), frozenset(fields))
        assert decision.allow == expected
    condition = policy.condition(persona, "things", "update", frozenset(fields))
    rows = connection.execute(f"SELECT r.key FROM things AS r WHERE {condition} ORDER BY r._row")
    assert [key for (key,) in rows] == [
        r["key"]
        for r in world["things"]
        if all(plain.may("things", "update", r, field) for field in _each(fields))
    ]


@settings(max_examples=10)
@given(documents(), worlds, personas)
def test_who_has_left_may_do_nothing(document: Any, world: World, persona: Persona) -> None:
    policy, connection = policy_of(document), database(world)
    gone = persona.model_copy(update={"active": False})
    guard = guard_of(connection, gone, policy)
    assert [guard.count(source) for source in world] == [0, 0, 0]
    assert policy.possible(gone, "things", "read").rule == "inactive"
