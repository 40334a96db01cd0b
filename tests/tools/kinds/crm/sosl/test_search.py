from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.crm.soql.org import refusals
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import OBJECTS, TABLES
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.results import plain
from worksmith.tools.kinds.crm.soql.soql_engine import Limits
from worksmith.tools.kinds.crm.sosl.sosl_engine import PER_OBJECT, Sosl
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows, singular, words
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.world import write_world

TODAY = date(2023, 1, 1)
RETURNS, SHIPPING = make_id("ka0", 1), make_id("ka0", 2)
GIVEN: dict[str, list[dict[str, str]]] = {
    "Knowledge__kav": [
        {
            "Id": RETURNS,
            "Title": "Return policy",
            "FAQ_Answer__c": "Shoes can be returned.",
            "Language": "en_US",
        },
        {"Id": SHIPPING, "Title": "Café shipping", "Summary": "Boxes of shoes", "PublishStatus": "Online"},
        {"Id": make_id("ka0", 3), "Title": "Loyalty", "FAQ_Answer__c": "Points never expire."},
    ],
    "Contact": [
        {"Id": make_id("003", 1), "Name": "Ann O'Brien", "Email": "ann.b@example.com"},
        {"Id": make_id("003", 2), "Name": "Example Com", "Email": "x@y.z"},
    ],
    "Product2": [
        {"Id": make_id("01t", 1), "Name": "T-Shirt", "Description": "for yoga &amp; running"},
        {"Id": make_id("01t", 2), "Name": "Yoga mat", "Description": "thin"},
    ],
    "Case": [
        {"Id": make_id("500", n), "Subject": f"Case {n}", "Description": "lost parcel"} for n in range(300)
    ],
}
ROWS = {
    name: [[record.get(column) for column in OBJECTS[name].columns] for record in records]
    for name, records in GIVEN.items()
}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The real thing: a world that was written to a directory and opened in a sandbox."""
    return Sandbox(world_image(tmp_path_factory.mktemp("world")), TABLES)


def world_image(directory: Path) -> bytes:
    persona = Persona(id=make_id("005", 1), name="Eva", department="Service", level=1)
    tables = [*TABLES, *SEARCH_TABLES]
    rows: dict[str, Any] = {**ROWS, **search_rows(ROWS)}
    now = datetime(2023, 1, 1)
    return write_world(directory, tables, rows, kind="crm", origin="test", now=now, persona=persona).image[:]


def find(sandbox: Sandbox, statement: str, changeset: bytes = b"") -> Any:
    def body(connection: apsw.Connection) -> Any:
        return Sosl(connection, TODAY, changeset=changeset).search(statement).records

    return sandbox.read(changeset, body)


def titles(sandbox: Sandbox, term: str, changeset: bytes = b"") -> set[str]:
    return {r["Title"] for r in find(sandbox, f"FIND {{{term}}} RETURNING Knowledge__kav(Title)", changeset)}


@each_row(
    ("term", "expected"),
    [
        ("shoe", {"Return policy", "Café shipping"}),
        ("SHOES", {"Return policy", "Café shipping"}),
        ("cafe", {"Café shipping"}),
        ("café", {"Café shipping"}),
        ("box", {"Café shipping"}),
        ('"return policy"', {"Return policy"}),
        ('"policy return"', set()),
        ("return AND policy", {"Return policy"}),
        ("return AND loyalty", set()),
        ("return OR loyalty", {"Return policy", "Loyalty"}),
        ("shoes AND NOT boxes", {"Return policy"}),
        ("loyalty OR shoes AND policy", {"Return policy", "Loyalty"}),
        ("(loyalty OR shoes) AND (policy OR points)", {"Return policy", "Loyalty"}),
        ("ship*", {"Café shipping"}),
        ("sh?es", {"Return policy", "Café shipping"}),
        ("shoes*", {"Return policy", "Café shipping"}),
        ("s*es AND lo?alty", set()),
        ("return points", {"Return policy", "Loyalty"}),  # articles: any of the words
        ("expire\\!", {"Loyalty"}),
        ("zzz", set()),
    ],
)
def test_terms(sandbox: Sandbox, term: str, expected: set[str]) -> None:
    assert titles(sandbox, term) == expected


def test_a_search_as_a_whole_takes_no_longer_than_a_query_may(sandbox: Sandbox) -> None:
    def body(connection: apsw.Connection) -> None:
        Sosl(connection, TODAY, limits=Limits(seconds=0)).search("FIND {lost} RETURNING Case, Contact")

    with pytest.raises(QueryError, match="QUERY_TIMEOUT"):
        sandbox.read(b"", body)


def test_articles_with_all_the_words_come_first(sandbox: Sandbox) -> None:
    found = find(sandbox, "FIND {returned shoes policy} RETURNING Knowledge__kav(Id)")
    assert [record["Id"] for record in found] == [RETURNS, SHIPPING]


def test_groups_of_fields(sandbox: Sandbox) -> None:
    def names(fields: str) -> list[str]:
        found = find(sandbox, f"FIND {{example com}} IN {fields} FIELDS RETURNING Contact(Name)")
        return sorted(record["Name"] for record in found)

    assert names("ALL") == ["Ann O'Brien", "Example Com"]
    assert names("EMAIL") == ["Ann O'Brien"]
    assert names("NAME") == ["Example Com"]
    assert names("PHONE") == []
    assert plain(find(sandbox, "FIND {thin} IN NAME FIELDS RETURNING Product2(Name)")) == [
        {"Name": "Yoga mat"}
    ]


def test_returning_takes_the_clauses_of_soql(sandbox: Sandbox) -> None:
    search = "find {shoes} in all fields returning Knowledge__kav(Title WHERE PublishStatus = 'online')"
    assert plain(find(sandbox, search)) == [{"Title": "Café shipping"}]
    clauses = "WHERE Id != null ORDER BY Subject DESC LIMIT 2 OFFSET 1"
    search = f"FIND {{parcel}} RETURNING Case(Subject, Owner.Name {clauses})"
    assert plain(find(sandbox, search)) == [
        {"Subject": "Case 98", "Owner": None},
        {"Subject": "Case 97", "Owner": None},
    ]


def test_without_fields_there_are_ids_and_without_returning_all_objects(sandbox: Sandbox) -> None:
    found = find(sandbox, "FIND {yoga} RETURNING Product2, Contact")
    assert found[0]["attributes"]["type"] == "Product2"
    assert list(found[0]) == ["attributes", "Id"]
    everywhere = find(sandbox, "FIND {ann OR yoga}")
    assert {record["attributes"]["type"] for record in everywhere} == {"Contact", "Product2"}


def test_limits(sandbox: Sandbox) -> None:
    assert len(find(sandbox, "FIND {parcel} RETURNING Case")) == PER_OBJECT
    assert len(find(sandbox, "FIND {parcel} RETURNING Case(Id LIMIT 290)")) == 290
    assert len(find(sandbox, "FIND {parcel OR yoga} RETURNING Case, Product2 LIMIT 7")) == 7


@each_row(("code", "message", "statement"), refusals(Path(__file__).with_name("malformed.txt")))
def test_errors_say_what_and_where(sandbox: Sandbox, code: str, message: str, statement: str) -> None:
    with pytest.raises(QueryError) as caught:
        find(sandbox, statement.replace("¦", ""))
    error = caught.value
    assert error.code == code
    assert message in error.message
    assert error.offset is not None
    if "longer" not in message:
        assert error.offset == statement.index("¦")


@given(st.text(alphabet="ab\"()\\*?{}-&' éORANDNOT", max_size=25))
def test_any_term_gives_records_or_a_typed_error(sandbox: Sandbox, term: str) -> None:
    places: list[int | None] = [0]
    try:
        find(sandbox, f"FIND {{{term}}} RETURNING Knowledge__kav, Product2")
    except QueryError as error:
        places.append(error.offset)
    assert None not in places


def changed(sandbox: Sandbox, *steps: tuple[str, tuple[Any, ...]]) -> bytes:
    def body(connection: apsw.Connection) -> None:
        for sql, parameters in steps:
            connection.execute(sql, parameters)

    return sandbox.run(b"", body)[1]


def test_a_search_sees_what_the_episode_has_changed_and_others_do_not(sandbox: Sandbox) -> None:
    changeset = changed(
        sandbox,
        ('UPDATE "Knowledge__kav" SET "Title" = ? WHERE "Id" = ?', ("Zebra rules", RETURNS)),
        ('DELETE FROM "Knowledge__kav" WHERE "Id" = ?', (SHIPPING,)),
        ('INSERT INTO "Knowledge__kav" ("Id", "Title") VALUES (?, ?)', (make_id("ka0", 9), "Zebra shoes")),
    )
    assert titles(sandbox, "zebra", changeset) == {"Zebra rules", "Zebra shoes"}
    assert titles(sandbox, "policy", changeset) == set()
    assert titles(sandbox, "shoes", changeset) == {"Zebra rules", "Zebra shoes"}
    assert titles(sandbox, "zebra") == set()
    assert titles(sandbox, "shoes") == {"Return policy", "Café shipping"}


def test_a_search_within_a_recorded_call_changes_nothing(sandbox: Sandbox) -> None:
    earlier = changed(
        sandbox, ('UPDATE "Product2" SET "Name" = ? WHERE "Id" = ?', ("Zebra", make_id("01t", 1)))
    )

    def body(connection: apsw.Connection) -> Any:
        return (
            Sosl(connection, TODAY, changeset=earlier).search("FIND {zebra} RETURNING Product2(Name)").records
        )

    records, after = sandbox.run(earlier, body)
    assert plain(records) == [{"Name": "Zebra"}]
    assert after == earlier


@each_row(
    ("plural", "expected"),
    [
        ("shoes", "shoe"),
        ("boxes", "box"),
        ("policies", "policy"),
        ("dress", "dress"),
        ("bus", "bus"),
        ("is", "is"),
    ],
)
def test_plurals(plural: str, expected: str) -> None:
    assert singular(plural) == expected


def test_words_have_no_accents_capitals_or_entities() -> None:
    assert words("Élan &amp; CAFÉS, o&#39;clock") == ["elan", "cafe", "o", "clock"]
