from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.kinds.crm import ids
from worksmith.tools.kinds.crm.schema import IDS, OBJECTS, TABLES, crm_schema
from worksmith.tools.sqlite.schema import Table


def table(name: str) -> Table:
    return next(each for each in TABLES if each.name == name)


def test_there_are_sixteen_objects_with_an_id_first() -> None:
    assert len(TABLES) == 16
    assert all(each.columns[0] == "Id" and "Id" in each.generated for each in TABLES)
    assert len({each.prefix for each in OBJECTS.values()}) == 16


def test_every_reference_finds_its_object_unless_it_lies_outside_the_org() -> None:
    for links in ("text", "lookup"):
        schema = crm_schema(links)
        for each in schema.objects:
            for field in each.queryable:
                assert bool(field.parent) == bool(field.targets)
                assert not field.targets or any(schema.object(target) for target in field.targets)
                assert not field.targets or field.type in IDS


def test_titles_are_fields() -> None:
    assert [each.name for each in OBJECTS.values() if not each.field(each.title)] == []


def test_fields_that_agents_are_told_of_but_do_not_exist_are_no_columns() -> None:
    assert [f.name for f in OBJECTS["Case"].fields if f.ghost] == ["Channel"]
    assert "Channel" not in table("Case").columns
    assert OBJECTS["Case"].field("channel") is None


def test_fields_that_hold_ids_become_lookups_on_request_only() -> None:
    plain, linked = crm_schema("text"), crm_schema("lookup")
    for schema, expected in ((plain, None), (linked, "Issue__c")):
        case = schema.object("case")
        assert case is not None
        found = case.parent("issueid__r")
        assert (found.targets[0] if found else None) == expected
    assert plain.child("Issue__c", "Cases__r") is None
    assert [c.columns for c in (o.table() for o in plain.objects)] == [
        c.columns for c in (o.table() for o in linked.objects)
    ]


def test_children_are_found_from_the_side_of_the_parent() -> None:
    schema = crm_schema()
    found = schema.child("case", "emailmessages")
    assert found is not None
    assert (found.object, found.field.name) == ("EmailMessage", "ParentId")
    assert {child.name for child in schema.children("Account")} >= {"Contacts", "Cases", "Orders"}


@pytest.mark.parametrize("prefix", ["005", "a1M"])
@given(number=st.integers(0, 62**9 - 1))
def test_ids_survive_any_case(prefix: str, number: int) -> None:
    made = ids.make_id(prefix, number)
    assert len(made) == ids.LENGTH
    assert ids.number_of(made) == number
    assert ids.canonical(made[:15]) == ids.canonical(made.swapcase()) == ids.canonical(made) == made


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=5))
def test_ids_sort_as_their_numbers(numbers: list[int]) -> None:
    assert sorted(ids.make_id("500", n) for n in numbers) == [ids.make_id("500", n) for n in sorted(numbers)]


@each_row("text", ["", "500", "500wK0000000001AAB", "500wK00000000-1", "5" * 16, "é" * 15])
def test_what_is_no_id(text: str) -> None:
    assert ids.canonical(text) is None
