"""Pages of results, and how long the rest of one is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.kinds.crm.rest.messages import ApiError
from worksmith.tools.kinds.crm.rest.reading import LARGEST, SMALLEST, Pages, batch_size
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult


def result(count: int) -> QueryResult:
    return QueryResult(count, [{"Id": str(number)} for number in range(count)])


def locator(page: dict[str, Any]) -> str:
    return str(page["nextRecordsUrl"]).rpartition("/")[2]


def read_on(pages: Pages, page: dict[str, Any]) -> list[Any]:
    """The records of a page and of all that follow."""
    records = list(page["records"])
    while not page["done"]:
        page = pages.more(locator(page), "me")
        records += page["records"]
    return records


@given(st.integers(0, 900), st.integers(1, 400))
def test_pages_together_are_the_whole(count: int, batch: int) -> None:
    pages = Pages()
    first = pages.first(result(count), batch, "me")

    assert first["totalSize"] == count
    assert len(first["records"]) == min(batch, count)
    assert read_on(pages, first) == result(count).records


def test_children_of_a_record_come_in_pages_of_their_own() -> None:
    many, few = result(450), result(3)
    record = {"Id": "1", "Parent": {"Id": "2"}, "Many": many.body(), "Few": few.body(), "None": None}
    pages = Pages()

    shown = pages.first(QueryResult(1, [record]), 200, "me")["records"][0]

    assert (shown["Parent"], shown["Few"], shown["None"]) == ({"Id": "2"}, few.body(), None)
    assert len(shown["Many"]["records"]) == 200
    assert shown["Many"]["totalSize"] == 450
    assert read_on(pages, shown["Many"]) == many.records


def test_what_nobody_comes_back_for_is_dropped() -> None:
    now = 0.0
    pages = Pages(lambda: now)
    page = pages.first(result(600), 200, "me")
    now = 800.0
    assert pages.more(locator(page), "me")["records"]
    now = 1600.0
    assert pages.more(locator(page), "me")["records"]  # 800 seconds after the last time
    now = 2600.0
    with pytest.raises(ApiError, match="invalid query locator"):
        pages.more(locator(page), "me")


@pytest.mark.slow
def test_only_so_much_is_kept() -> None:
    pages = Pages()
    first = [pages.first(result(50_000), 2000, "me") for _ in range(5)]

    with pytest.raises(ApiError):
        pages.more(locator(first[0]), "me")
    for page in first[1:]:
        assert len(pages.more(locator(page), "me")["records"]) == 2000


@given(st.text(max_size=40))
def test_any_header_gives_a_size_within_bounds(header: str) -> None:
    assert SMALLEST <= batch_size(header) <= LARGEST
    assert SMALLEST <= batch_size(f"batchSize={header}") <= LARGEST
