from __future__ import annotations

from tests.evals.reporting.studies import RIGHT, WRONG
from worksmith.evals.records.changes import ChangedCell, compare_changes
from worksmith.evals.records.entries import ChangeEntry
from worksmith.evals.reporting.html.episodes import _cells


def new(**cells: str) -> ChangeEntry:
    return ChangeEntry(table="tasks", operation="insert", row=9, after=dict(cells))


def test_changes_are_paired_by_what_they_change() -> None:
    gone = ChangeEntry(table="tasks", operation="delete", row=3, before={"name": "a"})
    kinds = [
        (pair.kind, pair.either)
        for pair in compare_changes([WRONG, gone, new(name="x")], [RIGHT, new(name="x"), new(name="y")])
    ]

    assert kinds == [
        ("as expected", new(name="x")),
        ("differs", WRONG),
        ("missing", new(name="y")),
        ("not expected", gone),
    ]


def test_a_new_row_is_compared_with_the_one_it_is_most_like() -> None:
    made = new(name="Redraw", board="Design", due="Monday")
    other, near = (
        new(name="Call", board="Sales", due="Friday"),
        new(name="Redraw", board="Design", due="Friday"),
    )
    pair = compare_changes([made], [other, near])[0]

    assert pair.expected == near
    assert pair.differing == [("due", "Monday", "Friday")]


def test_a_cell_that_only_one_side_writes_has_its_old_value_on_the_other() -> None:
    made = ChangeEntry(
        table="t", operation="update", before={"a": [1], "b": "x"}, after={"a": [True], "b": "y"}
    )
    expected = ChangeEntry(table="t", operation="update", before={"b": "x"}, after={"b": "y"})
    [pair] = compare_changes([made], [expected])

    assert repr(pair.differing) == repr([ChangedCell("a", [True], [1])])


def test_numbers_and_booleans_are_compared_and_shown_as_such() -> None:
    def changed(**cells: bool | int | float | None) -> ChangeEntry:
        return ChangeEntry(table="tasks", operation="update", row=1, after=dict(cells))

    made, expected = changed(paid=False, count=0), changed(paid=False, count=1)
    [pair] = compare_changes([made], [expected])

    assert pair.kind == "differs"
    assert pair.differing == [("count", 0, 1)]
    assert compare_changes([changed(sum=0.1 + 0.2)], [changed(sum=0.3)])[0].kind == "as expected"
    assert _cells({"paid": False, "count": 0, "none": None}, 300) == "paid: false; count: 0; none: (empty)"
