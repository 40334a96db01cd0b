"""The policy of own tables needs only `sources`; without one everything is open, and said so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.access.memory_lookup import MemoryLookup
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.personas import OnePersona
from worksmith.tools.kinds.own_data.policy import OPEN, own_policy
from worksmith.tools.persona import Attributes, Persona
from worksmith.tools.sqlite.schema import Table

TABLES = (
    Table(
        "tickets", ("ticket_id", "team", "status", "vip"), indexes=("ticket_id",), types={"vip": "boolean"}
    ),
    Table("notes", ("id", "text"), indexes=("id",)),
)
TOOLS = ("tools.close_ticket", "tools.delete_ticket", "data.search")
ANN = Persona(id="ann", name="Ann", attributes=Attributes({"team": "red", "vip": True}))
NOBODY = MemoryLookup({})


def policy(document: dict[str, Any] | None) -> AccessPolicy:
    return own_policy(None if document is None else json.dumps(document), TABLES, TOOLS, OnePersona(ANN))


def rules(*whens: dict[str, Any], **more: Any) -> dict[str, Any]:
    listed = [{"id": f"R{n}", "operations": ["read"], "when": when} for n, when in enumerate(whens)]
    return {"sources": {"tickets": {"rules": listed}}, **more}


def test_without_a_policy_everything_is_open_and_that_is_said() -> None:
    found = policy(None)
    assert found.document.note == OPEN
    for table in TABLES:
        for operation in ("read", "create", "update", "delete"):
            assert found.allows(ANN, table.name, operation, {}, NOBODY).rule == f"open.{table.name}"
    assert all(found.decide(ANN, tool, {}).allow for tool in TOOLS)
    gone = ANN.model_copy(update={"active": False})
    assert not found.decide(gone, TOOLS[0], {}).allow


def test_a_document_of_sources_alone_is_complete() -> None:
    found = policy(rules({"same": "team"}, {"same": "vip"}))
    assert found.document.sources["tickets"].key == "ticket_id"
    assert found.allows(ANN, "tickets", "read", {"team": "red", "vip": None}, NOBODY).rule == "R0"
    assert found.allows(ANN, "tickets", "read", {"team": "blue", "vip": 1}, NOBODY).rule == "R1"
    assert not found.allows(ANN, "tickets", "read", {"team": None, "vip": 0}, NOBODY).allow
    assert all(found.decide(ANN, tool, {}).allow for tool in TOOLS)


def test_what_the_document_does_not_mention_is_denied() -> None:
    found = policy(rules({"always": True}))
    assert not found.possible(ANN, "notes", "read").allow
    assert not found.possible(ANN, "tickets", "update").allow


def test_a_tool_can_be_tied_to_a_right() -> None:
    found = policy(rules({"always": True}, tools={"tools.delete_ticket": ["tickets", "delete"]}))
    assert not found.decide(ANN, "tools.delete_ticket", {}).allow
    assert found.decide(ANN, "tools.close_ticket", {}).allow
    assert not found.decide(ANN, "tools.unheard_of", {}).allow


@each_row(
    ("document", "message"),
    [
        (
            {"sources": {"ticket": {"rules": []}}},
            "sources.ticket: no such source 'ticket': did you mean 'tickets'?",
        ),
        (
            rules({"same": "taem"}),
            "sources.tickets.rules[0].when.same: personas have no field 'taem': did you mean 'team'?",
        ),
        (
            rules({"record": {"field": "Status", "in": ["open"]}}),
            "sources.tickets.rules[0].when.record.field: tickets has no field 'Status': did you mean",
        ),
        (rules({"manages": "team"}), "sources.tickets.rules[0].when.manages: needs the hierarchy"),
        (
            rules(tools={"close_ticket": None}),
            "tools.close_ticket: no such tool: did you mean 'tools.close_ticket'?",
        ),
        ({"sources": {"tickets": {}}}, "sources.tickets.rules: field required"),
        ({"sources": {}, "format": "worksmith-policy/9"}, "format: input should be 'worksmith-policy/1'"),
        ({}, "sources: field required"),
        (
            {"sources": {"tickets": {"key": "status", "rules": []}}},
            "sources.tickets.key: the key of tickets is 'ticket_id': leave the line out",
        ),
    ],
)
def test_faults_are_named_by_place_with_near_names(document: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        policy(document)
    assert str(error.value).startswith(f"policy: {message}")


def test_the_digest_tells_policies_apart() -> None:
    digests = [policy(d).digest for d in (None, rules(), rules({"always": True}), rules({"same": "team"}))]
    assert len(set(digests)) == 4
