"""The compiled forms of a policy say the same as each other and as the rules in plain words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.access.strategies import (
    Plain,
    Record,
    database,
    documents,
    guard_of,
    matches,
    personas,
    policy_of,
    stored_cell,
    worlds,
)
from worksmith.tools.access.lookup import DatabaseLookup, MemoryLookup
from worksmith.tools.persona import Persona

World = dict[str, list[Record]]


def _each(fields: set[str]) -> list[str | None]:
    """The fields; None asks about the whole record."""
    return [*fields] or [None]


@pytest.mark.slow
@settings(max_examples=20)
@given(documents(), worlds, personas)
def test_python_sql_and_vector_forms_agree_with_the_rules(
    document: Any, world: World, persona: Persona
) -> None:
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
        chosen = policy.vector_filter(persona, source, connection)
        found = [
            r["key"]
            for r in world[source]
            if (chosen.where is None or matches(chosen.where, r))
            and (chosen.ids is None or r["key"] in chosen.ids)
        ]
        assert found == expected
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
    assert policy.vector_filter(gone, "things", connection).ids == frozenset()
    assert policy.possible(gone, "things", "read").rule == "inactive"


@pytest.mark.slow
def test_a_real_vector_store_finds_what_the_rules_allow() -> None:
    """Filters of random policies, given to Chroma over the same records."""
    import chromadb
    import numpy
    from chromadb.config import Settings

    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    collection = client.get_or_create_collection("things", embedding_function=None)

    @settings(max_examples=10)
    @given(documents(), worlds.filter(lambda world: bool(world["things"])), personas)
    def compare(document: Any, world: World, persona: Persona) -> None:
        records = [r for r in world["things"] if not any("\0" in str(cell) for cell in r.values())]
        if not records:
            return
        if old := collection.get()["ids"]:
            collection.delete(ids=old)
        collection.add(
            ids=[str(r["key"]) for r in records],
            embeddings=numpy.ones((len(records), 2), numpy.float32),
            metadatas=[
                {name: stored_cell(cell) for name, cell in r.items() if cell is not None} for r in records
            ],
        )
        plain, policy = Plain(document, world, persona), policy_of(document)
        chosen = policy.vector_filter(persona, "things", database(world))
        found: set[str] = set()
        if chosen.ids is None or chosen.ids & {r["key"] for r in records}:
            found = set(
                collection.query(
                    query_embeddings=numpy.ones((1, 2), numpy.float32),
                    n_results=len(records),
                    where=chosen.where,
                    ids=None if chosen.ids is None else sorted(chosen.ids & {str(r["key"]) for r in records}),
                )["ids"][0]
            )
        assert found == {r["key"] for r in records if plain.may("things", "read", r)}

    compare()
