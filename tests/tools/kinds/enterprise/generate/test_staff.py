"""Who works in a generated enterprise."""

from __future__ import annotations

from collections import Counter
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.kinds.enterprise.generate.worlds import Record, records
from worksmith.tools.generating.apportion import apportion, degrees
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.generate.draft import Draft, Hierarchy
from worksmith.tools.kinds.enterprise.generate.people.employees import add_employees
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.seeding import rng


def staff(built: Built) -> dict[str, Record]:
    return {record["emp_id"]: record for record in records(built, "employees")}


def levels(hierarchy: Hierarchy) -> dict[str, Counter[str]]:
    draft = Draft(7, 1.0, hierarchy)
    add_employees(draft)
    return {code: Counter(e.level for e in draft.people.in_department(code)) for code in ORDINARY}


def test_departments_have_the_measured_sizes() -> None:
    found = {code: sum(counts.values()) for code, counts in levels("paper").items()}

    assert found == {"EN": 478, "IN": 119, "HR": 125, "BU": 123, "BP": 114, "FI": 108, "SA": 108, "MA": 82}


def test_the_papers_hierarchy_is_four_to_three_to_two_to_one() -> None:
    assert levels("paper")["EN"] == {"09": 191, "10": 143, "12": 96, "14": 48}


def test_the_measured_hierarchy_has_few_seniors() -> None:
    assert levels("measured")["EN"] == {"09": 257, "10": 114, "12": 95, "14": 12}


@given(total=st.integers(0, 3000), shares=st.lists(st.integers(1, 500), min_size=1, max_size=12))
def test_apportioning_gives_away_everything_within_one_of_the_share(total: int, shares: list[int]) -> None:
    found = apportion(total, shares)

    assert sum(found) == total
    assert all(abs(n - total * share / sum(shares)) < 1 for n, share in zip(found, shares, strict=True))


@given(total=st.integers(80, 3000), shares=st.lists(st.integers(1, 500), min_size=1, max_size=8))
def test_apportioning_keeps_the_floor(total: int, shares: list[int]) -> None:
    found = apportion(total, shares, floor=10)

    assert sum(found) == total
    assert min(found) >= 10


def test_more_floor_than_there_is_cannot_be_apportioned() -> None:
    with pytest.raises(ValueError, match="less than"):
        apportion(5, [1, 1], floor=3)


@given(count=st.integers(1, 200), average=st.integers(1, 30), seed=st.integers(0, 99))
def test_degrees_add_up_and_everybody_gets_some(count: int, average: int, seed: int) -> None:
    found = degrees(rng(seed), count * average, count, 3, 60)

    assert sum(found) == count * average
    assert min(found) >= 1


def test_one_has_most_and_most_have_little() -> None:
    found = sorted(degrees(rng(1), 13511, 1352, 3, 60))

    assert (found[0], found[-1]) == (3, 60)
    assert found[-2] < 60
    assert median(found) < sum(found) / len(found)
