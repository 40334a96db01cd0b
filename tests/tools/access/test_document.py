"""Policies are data: changing them changes behaviour, and a fault is named by its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.access import shop
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.errors import InputError
from worksmith.tools.sqlite.schema import Table

Document = dict[str, Any]


def _set(path: str, value: Any) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        here: Any = document
        *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
        for step in steps:
            here = here[step]
        here[last] = value

    return change


def _cycle(document: Document) -> None:
    may = {"operation": "read", "source": "vault", "on": {"letter_id": "item"}}
    document["sources"]["letters"]["rules"][0]["when"] = {"any": [{"always": True}, {"may": may}]}
    back = {"operation": "read", "source": "letters", "on": {"item": "letter_id"}}
    document["sources"]["vault"]["rules"][0]["when"] = {"not": {"may": back}}


def _no_people(document: Document) -> None:
    del document["people"]


WHEN = "sources.letters.rules[0].when"
WHENS: list[tuple[Document, str, str]] = [
    ({"owns": "writer"}, "", "no predicate"),
    ({"any": [{"always": True}, {"not": {"magic": 1}}]}, ".any[1].not", "no predicate"),
    ({"self": "a", "always": True}, "", "one key"),
    ({"self": "author"}, ".self", "no field 'author'"),
    ({"self": ["writer", "x"]}, ".self[1]", "no field 'x'"),
    ({"not": {"not": {}, "any": []}}, ".not", "no predicate"),
    ({"record": {"field": "text"}}, ".record.in", "required"),
    ({"all": []}, ".all", "at least 1"),
    ({"always": False}, ".always", "True"),
    ({"level": {}}, ".level", "min, max or in"),
    ({"level": {"min": "10"}}, ".level.min", "integer"),
    ({"level": {"least": 1}}, ".level.least", "not permitted"),
    ({"department": "HR"}, ".department", "array"),
    ({"department": []}, ".department", "at least 1"),
    ({"record": {"field": "status", "in": [None]}}, ".record.in[0]", "string"),
    ({"record": {"field": "state", "in": ["open"]}}, ".record.field", "no field 'state'"),
    ({"same": "nmae"}, ".same", "did you mean 'name'?"),
    ({"same": "email"}, ".same", "no field 'email'"),
    ({"same": {"persona": "email", "record": "reader", "x": 1}}, ".same.x", "not permitted"),
    (
        {"same": {"persona": "team", "record": "reader"}},
        ".same.persona",
        "personas have no field 'team': there are id, name, email, department, level",
    ),
    ({"same": {"persona": "email", "record": "statsu"}}, ".same.record", "did you mean 'status'?"),
    (
        {"same": {"persona": "level", "record": "status"}},
        ".same",
        "the persona's level is integer and letters.status is text",
    ),
    ({"persona": {"field": "role", "in": ["lead"]}}, ".persona.field", "no field 'role'"),
    (
        {"persona": {"field": "level", "in": [3, "4"]}},
        ".persona.in[1]",
        'level is integer; "4" can never be its value: write a whole number without quotes',
    ),
    (
        {"record": {"field": "status", "in": ["open", True]}},
        ".record.in[1]",
        "status is text; true can never be its value: write a text in quotes",
    ),
    ({"manages": "who"}, ".manages", "no field 'who'"),
    ({"may": {"operation": "read", "source": "chats", "on": {"writer": "id"}}}, ".may.source", "'chats'"),
    ({"may": {"operation": "own", "source": "staff", "on": {"writer": "id"}}}, ".may.operation", "'read'"),
    (
        {"may": {"operation": "read", "source": "staff", "on": {"writer": "key"}}},
        ".may.on.writer",
        "staff has no field 'key'",
    ),
    (
        {"exists": {"source": "staff", "on": {"writer": "id"}, "when": {"self": "text"}}},
        ".exists.when.self",
        "staff has no field 'text'",
    ),
    ({"exists": {"source": "cupboard", "on": {"writer": "id"}}}, ".exists.source", "'cupboard'"),
]
"""Predicates of the first rule, the places of their faults in them, and the messages."""

LETTERS = "sources/letters/rules/0"
FAULTS: list[tuple[Callable[[Document], None], str, str]] = [
    *((_set(f"{LETTERS}/when", when), f"{WHEN}{place}", said) for when, place, said in WHENS),
    (_set(f"{LETTERS}/id", "L-WRITE"), "sources.letters.rules[1].id", "taken by sources.letters.rules[0].id"),
    (_set(f"{LETTERS}/id", "S-READ"), "sources.letters.rules[0].id", "taken by sources.staff.rules[0].id"),
    (_set(f"{LETTERS}/id", ""), "sources.letters.rules[0].id", "at least 1"),
    (_set(f"{LETTERS}/operations", ["peek"]), "sources.letters.rules[0].operations[0]", "'read'"),
    (_set(f"{LETTERS}/fields", ["text"]), "sources.letters.rules[0].fields", "update alone"),
    (_set("sources/staff/rules/1/fields", ["pey"]), "sources.staff.rules[1].fields[0]", "no field 'pey'"),
    (
        _set("sources/staff/private/fields", ["pay", "age"]),
        "sources.staff.private.fields[1]",
        "no field 'age'",
    ),
    (
        _set("sources/staff/private/fields", ["pay", "id"]),
        "sources.staff.private.fields[1]",
        "key of a record cannot be private",
    ),
    (_set("sources/staff/private/rule/when", {}), "sources.staff.private.rule.when", "no predicate"),
    (_set("sources/staff/private/rule/id", "S-READ"), "sources.staff.rules[0].id", "taken"),
    (_set("sources/letters/key", "id"), "sources.letters.key", "no field 'id'"),
    (_set("sources/letters/rulez", []), "sources.letters.rulez", "not permitted"),
    (_set("sources/chats", {"key": "id", "rules": []}), "sources.chats", "no such source"),
    (_set("sources/leters", {"key": "id", "rules": []}), "sources.leters", "did you mean 'letters'?"),
    (_set("tools/vault.read", ["cellar", "read"]), "tools.vault.read[0]", "'cellar'"),
    (_set("tools/vault.read", ["vault", "open"]), "tools.vault.read[1]", "'read'"),
    (_set("tools/vault.open", ["vault", "read"]), "tools.vault.open", "no such tool"),
    (_set("people/source", "crew"), "people.source", "'crew'"),
    (_set("people/manager", "chief"), "people.manager", "no field 'chief'"),
    (_set("groups/TOP", []), "groups.TOP", "at least 1"),
    (_set("format", "worksmith-policy/2"), "format", "worksmith-policy/1"),
    (_cycle, "sources.vault.rules[0].when.not.may", "circle: letters.read -> vault.read -> letters.read"),
    (_no_people, "sources.staff.private.rule.when.any[1].manages", "people"),
]


@each_row(("spoil", "path", "message"), FAULTS)
def test_a_fault_is_named_by_file_and_place(
    spoil: Callable[[Document], None], path: str, message: str, tmp_path: Path
) -> None:
    document = shop.document()
    tools = frozenset(document["tools"])
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(document))
    load_policy(file, shop.TABLES, tools)
    spoil(document)
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        load_policy(file, shop.TABLES, tools)
    assert error.value.where == f"{file}: {path}"
    assert message in error.value.message


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"a": 1, "a": 2}', "{" + '"a":[' * 5000, "\ufeff{}"]
)
def test_what_is_no_policy_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(text)
    with pytest.raises(InputError):
        load_policy(file, shop.TABLES)
    with pytest.raises(InputError):
        load_policy(tmp_path / "nowhere.json", shop.TABLES)


def test_a_new_rule_allows_what_was_denied() -> None:
    document = shop.document()
    assert not shop.policy(document).possible(shop.persona(), "vault", "read").allow
    assert shop.guard(rules=document).keys("vault") == []
    seniors = {"id": "V-SENIOR", "operations": ["read"], "when": {"level": {"min": 10}}}
    document["sources"]["vault"]["rules"].append(seniors)
    assert shop.policy(document).possible(shop.persona(), "vault", "read").rule == "V-SENIOR"
    assert shop.guard(rules=document).keys("vault") == ["v1"]
    assert shop.guard(shop.persona("cy", 9), rules=document).keys("vault") == []


def test_the_digest_is_that_of_the_rules_not_of_the_layout() -> None:
    document = shop.document()
    same = load_policy(json.dumps(document, indent=4), shop.TABLES)
    assert same.digest == shop.policy(document).digest
    document["groups"]["TOP"].append("CT")
    assert same.digest != shop.policy(document).digest


def test_calls_are_decided_by_tool_and_persona_alone() -> None:
    policy, bob = shop.policy(), shop.persona()
    assert policy.decide(bob, "letters.read", {"writer": "ann"}).rule == "L-READ"
    assert policy.decide(bob, "llm.call", {}).allow
    denied = policy.decide(bob, "vault.read", {"item": "v1", "department": "CE"})
    assert (denied.allow, denied.rule) == (False, "vault.read")
    assert not policy.decide(bob, "vault.burn", {}).allow
    gone = shop.persona(active=False)
    assert {policy.decide(gone, tool, {}).rule for tool in shop.document()["tools"]} == {"inactive"}


@pytest.mark.parametrize(
    ("further", "secret"),
    [
        ({}, False),
        ({"rules": [{"id": "one", "operations": ["read"], "when": {"self": ["id"]}}]}, True),
        ({"rules": [{"id": "all", "operations": ["update"], "when": {"always": True}}]}, True),
        ({"private": {"fields": ["note"], "rule": {"id": "own", "when": {"self": ["id"]}}}}, True),
        ({"demonstrations": {"note": False}}, True),
    ],
)
def test_whether_everybody_may_read_everything(further: Document, secret: bool) -> None:
    source = {"key": "id", "rules": [{"id": "all", "operations": ["read"], "when": {"always": True}}]}
    document = {"sources": {"notes": {**source, **further}}, "people": {"source": "notes", "id": "id"}}
    policy = load_policy(json.dumps(document), [Table("notes", ("id", "note"))])
    assert policy.open == (not secret)
