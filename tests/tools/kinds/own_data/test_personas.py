"""Personas are the rows of a table, as far as its columns say what personas are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.personas import Personas
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellType, CellValue
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world import write_world

COLUMNS = ("person", "Name", "Department", "level", "manager_id", "active", "team", "limit")
TYPES: Mapping[str, CellType] = {"level": "integer", "active": "boolean", "team": "integer", "limit": "real"}
ROWS: list[tuple[CellValue, ...]] = [
    ("ann", "Ann", "IT", 5, None, True, 1, 2.5),
    ("bob", None, None, None, "ann", True, None, None),
    ("cy", "Cy", "HR", 1, "bob", None, 3, 1.0),
]


def personas(
    folder: Path,
    rows: Sequence[tuple[CellValue, ...]] = ROWS,
    columns: tuple[str, ...] = COLUMNS,
    types: Mapping[str, CellType] = TYPES,
) -> Personas:
    table = Table("people", columns, indexes=(columns[0],), types=types)
    now, user = datetime(2026, 1, 5), Persona(id="user", name="user")
    world = write_world(
        folder, [table], {"people": rows}, kind="own_data", origin="test", now=now, persona=user
    )
    return Personas(world, table)


def test_columns_that_personas_have_are_theirs_and_others_are_attributes(tmp_path: Path) -> None:
    people = personas(tmp_path)
    assert people.ids() == ["ann", "bob", "cy"]
    ann, bob, cy = map(people.find, people.ids())
    assert (ann.name, ann.department, ann.level, ann.managers, ann.active) == ("Ann", "IT", 5, (), True)
    assert dict(ann.attributes) == {"team": 1, "limit": 2.5, "manager_id": None}
    assert (bob.name, bob.department, bob.level, bob.managers) == ("bob", "", 0, ("ann",))
    assert cy.managers == ("bob", "ann")
    assert not cy.active, "an empty cell is not a yes"
    assert people.fields == {
        "id": "text",
        "name": "text",
        "department": "text",
        "level": "integer",
        "manager_id": "text",
        "team": "integer",
        "limit": "real",
    }
    assert (people.people.source, people.people.id, people.people.manager, people.people.level) == (
        "people",
        "person",
        "manager_id",
        "level",
    )


def test_fields_of_another_type_are_compared_as_they_are(tmp_path: Path) -> None:
    columns: tuple[str, ...] = ("id", "department", "level")
    types: Mapping[str, CellType] = {"id": "integer", "department": "integer"}
    people = personas(tmp_path, [(7, 3, "senior")], columns, types)
    seven = people.find("7")
    assert (seven.id, seven.department, seven.level) == ("7", "3", 0)
    assert (seven.field("department"), seven.field("level"), seven.field("email")) == (3, "senior", None)
    assert people.fields == {"id": "text", "department": "integer", "level": "text"}
    assert people.people.level is None
    with pytest.raises(InputError, match="no persona '07'"):
        people.find("07")


def test_an_unknown_persona_is_an_error_with_near_names(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        personas(tmp_path).find("anne")
    assert str(error.value) == "people.person: no persona 'anne' (did you mean 'ann'? There are ann, bob, cy)"


CIRCLES = [
    ([("a", "a")], "people, id a, column manager: managers go in a circle: a > a"),
    (
        [("a", "b"), ("b", "c"), ("c", "b")],
        "people, id b, column manager: managers go in a circle: b > c > b",
    ),
    (
        [("ann", "bo"), ("bob", "")],
        "people, id ann, column manager: no such person 'bo' (did you mean 'bob'?",
    ),
]


@pytest.mark.parametrize(("rows", "message"), CIRCLES)
def test_managers_are_people_and_go_in_no_circle(
    rows: list[tuple[CellValue, ...]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        personas(tmp_path, rows, ("id", "manager"), {})
    assert str(error.value).startswith(message)


def test_a_long_chain_of_managers_is_no_trouble(tmp_path: Path) -> None:
    rows: list[tuple[CellValue, ...]] = [(f"p{n}", f"p{n - 1}" if n else None) for n in range(3000)]
    assert len(personas(tmp_path, rows, ("id", "manager"), {}).find("p2999").managers) == 2999


@pytest.mark.parametrize(
    ("columns", "types", "row", "message"),
    [
        (("id", "active"), {}, ("a", "sometimes"), "people, id a, column active: true or false is needed"),
        (("id", "manager"), {"manager": "integer"}, ("a", 1), "manager is integer and id is text"),
    ],
)
def test_cells_are_what_their_column_means(
    columns: tuple[str, ...],
    types: Mapping[str, CellType],
    row: tuple[CellValue, ...],
    message: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError, match=message):
        personas(tmp_path, [row], columns, types)
