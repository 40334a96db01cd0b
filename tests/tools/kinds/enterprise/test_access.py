"""The access rules of an enterprise: who may do what with which records, and who somebody is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.access.memory_lookup import MemoryLookup
from tests.tools.kinds.enterprise import small_world
from tests.tools.kinds.enterprise.small_world import write_small_world
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.access import find_persona, open_policy, packaged_policy
from worksmith.tools.kinds.enterprise.enterprise_world import ENTERPRISE
from worksmith.tools.kinds.enterprise.generate.policies import policies
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import World

ME, OTHER, THIRD = "emp_0001", "emp_0002", "emp_0003"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return write_small_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def policy(world: World) -> AccessPolicy:
    return open_policy(world)


def _me(department: str, level: int) -> Persona:
    return Persona(id=ME, name="Me", department=department, level=level)


LOOKUP = MemoryLookup(
    {
        "employees": [
            {"emp_id": ME, "level": "10", "reports_to": None},
            {"emp_id": OTHER, "level": "09", "reports_to": THIRD},
            {"emp_id": THIRD, "level": "12", "reports_to": ME},
        ],
        "repositories": [
            {"file_id": "o/r:a.py", "repo_name": "o/r", "emp_id": OTHER},
            {"file_id": "m/r:a.py", "repo_name": "m/r", "emp_id": ME},
            {"file_id": "t/r:a.py", "repo_name": "t/r", "emp_id": THIRD},
        ],
        "clients": [
            {"client_id": "c1", "contact_email": "my_client@x.example", "emp_id": ME},
            {"client_id": "c2", "contact_email": "client@x.example", "emp_id": OTHER},
            {"client_id": "c3", "contact_email": None, "emp_id": ME},
        ],
        "vendors": [{"vendor_id": "v1", "contact_email": "vendor@x.example", "emp_id": OTHER}],
    }
)

ALL = ("EN", "IN", "HR", "BU", "BP", "FI", "SA", "MA", "CE", "CT", "CO")
EVERYBODY = {(department, level) for department in ALL for level in (9, 10, 12, 13, 14)}


def _of(departments: str, least: int = 9) -> set[tuple[str, int]]:
    return {(d, level) for d, level in EVERYBODY if d in departments.split() and level >= least}


def _level(least: int) -> set[tuple[str, int]]:
    return {(d, level) for d, level in EVERYBODY if level >= least}


EXEC = _of("CE CT CO")
CATALOGUE = _of("SA BU MA") | EXEC | _level(12)
REVENUE = _of("SA") | EXEC | _of("HR BU FI MA", 14)
MINE: dict[str, Any] = {"emp_id": ME}
THEIRS: dict[str, Any] = {"emp_id": OTHER}
NOBODY: set[tuple[str, int]] = set()

Row = tuple[str, str, dict[str, Any], set[tuple[str, int]]]


def _catalogue(source: str) -> list[Row]:
    return [
        ("read", source, {}, CATALOGUE),
        ("create", source, {}, _of("SA BU MA", 10)),
        ("update", source, {}, _of("SA BU MA", 10)),
        ("delete", source, {}, _of("SA BU MA", 12)),
    ]


def _open_to_all(source: str) -> list[Row]:
    return [
        ("read", source, THEIRS, EVERYBODY),
        ("create", source, MINE, EVERYBODY),
        ("create", source, THEIRS, NOBODY),
        ("update title", source, MINE, EVERYBODY),
        ("update title", source, THEIRS, NOBODY),
        ("delete", source, THEIRS, NOBODY),
    ]


TO_PARTNER: dict[str, Any] = {
    "sender_emp_id": ME,
    "recipient_emp_id": None,
    "recipient_email": "my_client@x.example",
}


def _with_partner(address: str, readers: set[tuple[str, int]], writers: set[tuple[str, int]]) -> list[Row]:
    """Mail between others and an outside address, and of the persona to it."""
    sent = {"sender_emp_id": OTHER, "recipient_emp_id": None, "recipient_email": address}
    got = {"sender_emp_id": None, "sender_email": address, "recipient_emp_id": OTHER}
    own = {**TO_PARTNER, "recipient_email": address}
    return [
        ("read", "mail", sent, readers),
        ("read", "mail", got, readers),
        ("read", "mail", own, EVERYBODY),
        ("create", "mail", own, writers),
        ("create", "mail", sent, NOBODY),
        ("update body", "mail", own, NOBODY),
        ("delete", "mail", own, NOBODY),
        ("delete", "mail", {**got, "recipient_emp_id": ME}, NOBODY),
    ]


# Operations on a record of a source, and the departments and levels that may do them.
MATRIX: list[Row] = [
    ("read", "employees", THEIRS, EVERYBODY),
    ("create", "employees", {"emp_id": "emp_0009"}, _of("HR", 10)),
    ("delete", "employees", THEIRS, _of("HR", 12)),
    ("delete", "employees", MINE, NOBODY),
    ("update salary", "employees", THEIRS, _of("HR", 10)),
    ("update level", "employees", THEIRS, _of("HR", 10)),
    ("update salary", "employees", MINE, NOBODY),
    ("update performance_rating", "employees", MINE, NOBODY),
    ("update remaining_sick_leaves", "employees", THEIRS, _of("HR")),
    ("update is_valid", "employees", THEIRS, NOBODY),
    ("update emp_id", "employees", THEIRS, NOBODY),
    ("read", "conversations", {"sender_emp_id": OTHER, "recipient_emp_id": ME}, EVERYBODY),
    ("read", "conversations", {"sender_emp_id": OTHER, "recipient_emp_id": THIRD}, NOBODY),
    ("create", "conversations", {"sender_emp_id": ME, "recipient_emp_id": OTHER}, EVERYBODY),
    ("create", "conversations", {"sender_emp_id": ME, "recipient_emp_id": "emp_9999"}, NOBODY),
    ("create", "conversations", {"sender_emp_id": OTHER, "recipient_emp_id": ME}, NOBODY),
    ("update text", "conversations", {"sender_emp_id": ME}, EVERYBODY),
    ("update recipient_emp_id", "conversations", {"sender_emp_id": ME}, NOBODY),
    ("update text", "conversations", {"sender_emp_id": OTHER, "recipient_emp_id": ME}, NOBODY),
    ("delete", "conversations", {"sender_emp_id": OTHER, "recipient_emp_id": ME}, EVERYBODY),
    ("read", "mail", {"sender_emp_id": ME, "recipient_emp_id": OTHER}, EVERYBODY),
    ("read", "mail", {"sender_emp_id": OTHER, "recipient_emp_id": THIRD}, NOBODY),
    ("read", "mail", {"sender_emp_id": OTHER, "recipient_emp_id": None}, NOBODY),
    ("create", "mail", {"sender_emp_id": THIRD, "recipient_emp_id": OTHER}, NOBODY),
    ("update body", "mail", {"sender_emp_id": ME, "recipient_emp_id": OTHER}, EVERYBODY),
    ("delete", "mail", {"sender_emp_id": OTHER, "recipient_emp_id": ME}, EVERYBODY),
    ("delete", "mail", {"sender_emp_id": OTHER, "recipient_emp_id": THIRD}, NOBODY),
    *_with_partner("my_client@x.example", EVERYBODY, EVERYBODY),
    *_with_partner("client@x.example", _of("BU") | EXEC | _level(14), _of("BU", 12)),
    *_with_partner("vendor@x.example", _of("MA") | EXEC | _level(14), _of("MA", 12)),
    *_with_partner("stranger@x.example", NOBODY, NOBODY),
    ("create", "mail", {**TO_PARTNER, "sender_emp_id": OTHER}, NOBODY),
    ("create", "mail", {"sender_emp_id": ME, "recipient_emp_id": "", "recipient_email": ""}, NOBODY),
    ("read", "repositories", MINE, EVERYBODY),
    ("read", "repositories", THEIRS, _of("EN", 10) | _of("CT")),
    ("create", "repositories", {"repo_name": "n/r", **MINE}, _of("EN IN")),
    ("create", "repositories", {"repo_name": "m/r", **MINE}, _of("EN IN")),
    ("create", "repositories", {"repo_name": "o/r", **MINE}, _of("EN", 10)),
    ("create", "repositories", {"repo_name": "t/r", **MINE}, _of("EN", 13)),
    ("create", "repositories", {"repo_name": "n/r", **THEIRS}, NOBODY),
    ("update code", "repositories", MINE, EVERYBODY),
    ("update code", "repositories", THEIRS, _of("EN", 10) | _of("CT")),
    ("update code", "repositories", {"emp_id": THIRD}, _of("EN", 13) | _of("CT")),
    ("update repo_name", "repositories", MINE, NOBODY),
    ("delete", "repositories", {"emp_id": THIRD}, _of("EN", 13) | _of("CT")),
    ("read", "issues", {"repo_name": "o/r", **THEIRS}, _of("EN", 10) | _of("CT")),
    ("read", "issues", {"repo_name": "m/r", **THEIRS}, EVERYBODY),
    ("read", "issues", {"repo_name": "o/r", **MINE}, EVERYBODY),
    ("create", "issues", {"repo_name": "o/r", **MINE}, _of("EN", 10) | _of("CT")),
    ("create", "issues", {"repo_name": "m/r", **THEIRS}, NOBODY),
    ("update status", "issues", {"repo_name": "o/r", **THEIRS}, NOBODY),
    ("update status", "issues", {"repo_name": "m/r", **THEIRS}, EVERYBODY),
    ("update repo_name", "issues", {"repo_name": "m/r", **MINE}, NOBODY),
    ("delete", "issues", {"repo_name": "o/r", **MINE}, EVERYBODY),
    ("read", "tickets", {"raised_by_emp_id": OTHER, **THEIRS}, _of("IN")),
    ("read", "tickets", {"raised_by_emp_id": ME, **THEIRS}, EVERYBODY),
    ("read", "tickets", {"raised_by_emp_id": OTHER, **MINE}, EVERYBODY),
    ("create", "tickets", {"raised_by_emp_id": OTHER, **MINE}, NOBODY),
    ("update status", "tickets", {"raised_by_emp_id": ME, "status": "open", **THEIRS}, _of("IN")),
    ("update priority", "tickets", {"raised_by_emp_id": ME, "status": "open", **THEIRS}, EVERYBODY),
    ("update issue", "tickets", {"raised_by_emp_id": ME, "status": "resolved", **THEIRS}, _of("IN")),
    ("update raised_by_emp_id", "tickets", {"raised_by_emp_id": ME, "status": "open", **MINE}, NOBODY),
    ("delete", "tickets", {"raised_by_emp_id": OTHER, "status": "open", **MINE}, _of("IN", 10)),
    ("delete", "tickets", {"raised_by_emp_id": ME, "status": "open", **THEIRS}, EVERYBODY),
    ("delete", "tickets", {"raised_by_emp_id": ME, "status": "resolved", **THEIRS}, _of("IN", 10)),
    *_catalogue("products"),
    *_catalogue("sentiments"),
    *_catalogue("customers"),
    ("read", "sales", THEIRS, REVENUE),
    ("read", "orders", {}, REVENUE),
    ("create", "sales", THEIRS, _of("SA")),
    ("update", "sales", THEIRS, _of("SA", 10) | _of("HR BU FI MA", 14)),
    ("delete", "sales", THEIRS, _of("SA", 12) | _of("HR BU FI MA", 14)),
    ("update", "orders", {}, NOBODY),
    ("read", "support_chats", MINE, EVERYBODY),
    ("read", "support_chats", THEIRS, _of("MA") | EXEC | _level(14)),
    ("create", "support_chats", MINE, _of("SA")),
    ("create", "support_chats", THEIRS, NOBODY),
    ("update", "support_chats", THEIRS, NOBODY),
    ("delete", "support_chats", MINE, EVERYBODY),
    ("delete", "support_chats", THEIRS, _of("MA", 12)),
    *_open_to_all("overflow"),
    *_open_to_all("posts"),
    ("update author", "posts", MINE, NOBODY),
    ("read", "policies", {}, EVERYBODY),
    ("update", "policies", {}, NOBODY),
    ("read", "clients", THEIRS, _of("BU") | EXEC | _level(14)),
    ("read", "clients", MINE, EVERYBODY),
    ("create", "clients", MINE, _of("BU", 10)),
    ("update", "clients", THEIRS, _of("BU", 12)),
    ("update", "clients", MINE, EVERYBODY),
    ("delete", "clients", MINE, _of("BU", 12)),
    ("read", "vendors", THEIRS, _of("MA") | EXEC | _level(14)),
    ("create", "vendors", MINE, _of("MA", 10)),
    ("delete", "vendors", MINE, _of("MA", 12)),
    ("read", "resumes", MINE, EVERYBODY),
    ("read", "resumes", THEIRS, _of("HR")),
    ("create", "resumes", MINE, _of("HR")),
    ("delete", "resumes", THEIRS, _of("HR", 12)),
]


@each_row(("what", "source", "record", "allowed"), MATRIX)
def test_who_may_do_what(
    policy: AccessPolicy, what: str, source: str, record: dict[str, Any], allowed: set[tuple[str, int]]
) -> None:
    operation, _, field = what.partition(" ")
    fields = frozenset({field} if field else ())
    found = {
        (department, level)
        for department, level in EVERYBODY
        if policy.allows(_me(department, level), source, operation, record, LOOKUP, fields).allow
    }
    assert found == allowed


@pytest.mark.parametrize(
    ("record", "allowed"),
    [(MINE, EVERYBODY), (THEIRS, EVERYBODY), ({"emp_id": "emp_0009"}, _of("HR") | EXEC)],
    ids=["own", "of somebody two levels below", "of anybody"],
)
def test_private_fields_are_for_the_chain_of_managers_and_personnel(
    policy: AccessPolicy, record: dict[str, Any], allowed: set[tuple[str, int]]
) -> None:
    found = {
        (department, level)
        for department, level in EVERYBODY
        if policy.sees_private(_me(department, level), "employees", record, LOOKUP).allow
    }
    assert found == allowed


@each_row(
    ("clause", "operation", "address", "allowed"),
    [
        ("AU-9", "create", "client@x.example", _of("BU", 12)),
        ("AU-9", "create", "my_client@x.example", EVERYBODY),
        ("AU-10", "create", "stranger@x.example", NOBODY),
        ("AU-11", "read", "client@x.example", _of("BU") | EXEC | _level(14)),
        ("AU-12", "update", "my_client@x.example", NOBODY),
        ("AU-12", "delete", "my_client@x.example", NOBODY),
    ],
)
def test_the_rules_of_mail_do_what_the_policy_document_says(
    policy: AccessPolicy, clause: str, operation: str, address: str, allowed: set[tuple[str, int]]
) -> None:
    written = next(one for document in policies() for one in document.clauses if one.id == clause)
    sender = OTHER if operation == "read" else ME
    record = {**TO_PARTNER, "sender_emp_id": sender, "recipient_email": address}
    fields = frozenset({"body"} if operation == "update" else ())
    found = {
        (department, level)
        for department, level in EVERYBODY
        if policy.allows(_me(department, level), "mail", operation, record, LOOKUP, fields).allow
    }
    assert found == allowed
    assert written.operator == ("forbidden" if allowed == NOBODY else "required")
    assert "client" in written.sentence
    assert "vendor" in written.sentence


def test_the_policy_covers_every_source_and_every_tool(policy: AccessPolicy) -> None:
    document = policy.document
    assert {name: source.key for name, source in document.sources.items()} == KEYS
    assert set(document.tools) == {tool.name for kit in ENTERPRISE.toolkits for tool in kit.tools}
    writing = {tool.name for kit in ENTERPRISE.toolkits for tool in kit.tools if tool.writes}
    assert writing == {name for name, use in document.tools.items() if use and use[1] != "read"}


def test_who_has_left_may_use_no_tool(world: World, policy: AccessPolicy) -> None:
    left = find_persona(world, small_world.LEFT)
    assert not left.active
    assert not any(policy.decide(left, tool, {}).allow for tool in policy.document.tools)
    assert not any(policy.possible(left, table.name, "read").allow for table in TABLES)


def test_a_persona_is_who_the_world_says(world: World) -> None:
    gita = find_persona(world, small_world.GITA)
    assert (gita.name, gita.department, gita.level, gita.active) == ("Gita Sharma", "EN", 9, True)
    assert gita.managers == (
        small_world.LEAD,
        small_world.MANAGER,
        small_world.DIRECTOR,
        small_world.CTO,
        small_world.CEO,
    )
    for nobody in ("emp_9999", "", "emp_0007' OR '1'='1"):
        with pytest.raises(InputError, match="no employee"):
            find_persona(world, nobody)


def test_a_world_may_have_rules_of_its_own(tmp_path: Path) -> None:
    world = write_small_world(tmp_path)
    assert not open_policy(world).possible(_me("BP", 9), "vendors", "create").allow
    rules = json.loads(packaged_policy())
    rules["sources"]["vendors"]["rules"].append(
        {"id": "VENDOR-BPO", "operations": ["create"], "when": {"department": ["BP", "SPACE"]}}
    )
    (tmp_path / "policy.json").write_text(json.dumps(rules))
    assert open_policy(world).possible(_me("BP", 9), "vendors", "create").rule == "VENDOR-BPO"
    assert open_policy(world).possible(_me("SPACE", 9), "vendors", "create").allow
    rules["sources"]["vendors"]["rules"][0]["when"] = {"self": "owner"}
    (tmp_path / "policy.json").write_text(json.dumps(rules))
    with pytest.raises(InputError) as error:
        open_policy(world)
    assert error.value.where == f"{tmp_path / 'policy.json'}: sources.vendors.rules[0].when.self"


def test_rules_that_cannot_be_found_never_give_way_to_the_package(tmp_path: Path) -> None:
    """The file is a link to where the rules are kept, and they are not there now."""
    world = write_small_world(tmp_path)
    (tmp_path / "policy.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(InputError, match="cannot read the policy"):
        open_policy(world)
