"""The quotas of the published size, and of any other."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worksmith.evals.kinds.enterprise.filling.quotas import (
    Cell,
    Place,
    answerable_places,
    cells,
    denied_places,
    step_counts,
)

TYPES = {"search": 325, "crud": 150}
AREAS = {"Sales": 150, "SWE": 130, "IT": 90, "HR": 80, "BizOps": 50}


def test_the_published_size_is_met_exactly() -> None:
    table, denied = cells(500), denied_places(500)
    assert sum(table.values()) + len(denied) == 500
    by_type = Counter({cell.type: 0 for cell in table})
    by_area: Counter[str] = Counter()
    for cell, count in table.items():
        by_type[cell.type] += count
        by_area[cell.area] += count
    for slot in denied:
        by_area[slot.cell.area] += 1
    assert by_type == TYPES
    assert len(denied) == 25
    assert by_area == AREAS


def test_reasons_of_denials_are_balanced() -> None:
    denied = denied_places(500)
    assert Counter(slot.denial for slot in denied) == {
        "not_participant": 6,
        "wrong_department": 6,
        "not_owner": 4,
        "level_too_low": 4,
        "self_protection": 2,
        "private_field": 2,
        "left_company": 1,
    }
    assert sum(slot.writes for slot in denied) >= 8


def test_three_calls_a_task_on_average() -> None:
    counts = step_counts(500)
    assert counts == {1: 50, 2: 140, 3: 150, 4: 90, 5: 50, 6: 20}
    assert sum(n for steps, n in counts.items() if steps <= 2) == 190
    assert sum(steps * n for steps, n in counts.items()) / 500 == pytest.approx(3.02)


@settings(max_examples=10)
@given(st.integers(1, 1500))
def test_any_size_is_met_exactly(total: int) -> None:
    offers = {cell: dict.fromkeys(range(1, 7), 1) for cell in cells(1500)}
    empties = [Place(cell, 2) for cell in offers]
    denied = denied_places(total)
    places = answerable_places(total, {3: len(denied)}, offers, empties)
    assert len(places) + len(denied) == total
    found = Counter(slot.steps for slot in places)
    wanted = step_counts(total)
    # Those that cannot be done have taken some of the threes; there may be too few for that.
    if wanted[3] >= len(denied):
        assert all(found[steps] + (len(denied) if steps == 3 else 0) == n for steps, n in wanted.items())


def test_places_for_nothing_are_a_share_of_those_that_ask() -> None:
    offers = {cell: dict.fromkeys(range(1, 7), 1) for cell in cells(500)}
    able = [Place(cell, steps) for cell in offers if cell.type == "search" for steps in (1, 2)]
    places = answerable_places(500, {}, offers, able)
    empty = [slot for slot in places if slot.empty]
    assert len(empty) == round(0.15 * sum(slot.cell.type == "search" for slot in places))
    assert all(slot.cell.type == "search" and slot.steps <= 2 for slot in empty)


def test_cells_without_goals_are_left_out() -> None:
    only = Cell("Sales", "product", "search")
    places = answerable_places(500, {}, {only: {2: 1}}, [])
    assert places == [Place(only, 2)] * 29
