"""Where the two modes differ, on records small enough to see why; and what both of them compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.crm.functions.orgs import opened
from tests.tools.kinds.crm.functions.small import (
    ANN,
    BOB,
    CONTACT,
    FIRST,
    ITEM,
    ITEM_2,
    JANUARY,
    ORG,
    RETURNS,
    SECOND,
    SHOE,
    SIZES,
    SOCK,
    TEXAS,
    THIRD,
)
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.crm.functions import Functions
from worksmith.tools.kinds.crm.functions.statements import LISTED, parts
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.settings import Mode
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult

MODES: tuple[Mode, Mode] = ("clean", "faithful")
FEBRUARY = ("2022-02-01T00:00:00Z", "2022-03-01T00:00:00Z")
NAMED = {"Id": SHOE, "Name": "Red running shoe"}
BOUGHT = {"Product2Id": SHOE, "Name": "Red running shoe"}
ISSUES = [{"Id": RETURNS, "Name": "Returns"}, {"Id": SIZES, "Name": "Sizes"}]
NEXT_YEAR = "2023-01-05T00:00:00.000+0000"
LATER = "2022-01-01T00:20:00.000+0000"


def functions(mode: Mode = "clean") -> Functions:
    return Functions(opened(ORG), mode)


def owned(*owners: str) -> list[dict[str, Any]]:
    return [{"OwnerId": owner} for owner in owners]


def timed(owner: str, closed: str | None = "2022-01-01T00:10:00.000+0000", **more: Any) -> dict[str, Any]:
    return {"OwnerId": owner, "CreatedDate": "2022-01-01T00:00:00.000+0000", "ClosedDate": closed, **more}


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(ToolError) as raised:
        call()
    return str(raised.value)


def day(text: str) -> str:
    return f"{text}T00:00:00Z"


def period(start: str, end: str) -> dict[str, str]:
    return {"start_date": day(start), "end_date": day(end)}


@each_row(
    ("name", "arguments", "clean", "faithful"),
    [
        # A first assignment in the window; the published system counts its end and transfers as well.
        ("get_agent_handled_cases_by_period", JANUARY, {ANN: 2}, {ANN: 3}),
        ("get_agent_handled_cases_by_period", FEBRUARY, {ANN: 1}, {ANN: 1, BOB: 1}),
        # One assignment in the whole history, or one that lies in the window.
        ("get_non_transferred_case_ids", JANUARY, [], [FIRST, SECOND, THIRD]),
        ("get_non_transferred_case_ids", FEBRUARY, [THIRD], [FIRST, THIRD]),
        # Agents without transfers count 0, or are absent; no agents are none, or all.
        ("get_agent_transferred_cases_by_period", (*FEBRUARY, [ANN, BOB]), {ANN: 1, BOB: 0}, {ANN: 1}),
        ("get_agent_transferred_cases_by_period", (*FEBRUARY, []), {}, {ANN: 1}),
        # The end of the window.
        ("get_agent_transferred_cases_by_period", (FEBRUARY[0], "2022-02-10T10:30:00Z"), {}, {ANN: 1}),
        ("get_issue_counts", (*JANUARY, [ITEM, ITEM_2]), {RETURNS: 1, SIZES: 1}, {RETURNS: 2, SIZES: 1}),
        # Years apart, or merged.
        (
            "get_month_to_case_count",
            ([timed(ANN), timed(ANN, CreatedDate=NEXT_YEAR)],),
            {"2022-01": 1, "2023-01": 1},
            {"January": 2},
        ),
        # Nothing found.
        ("find_id_with_max_value", ({},), [], None),
        ("get_account_id_by_contact_id", (make_id("003", 9),), None, []),
        ("get_account_id_by_contact_id", (make_id("003", 2),), None, []),
        # Products with their names, or without.
        (
            "get_purchase_history",
            (TEXAS, "2022-01-03T17:00:00Z", [SHOE, SOCK]),
            [BOUGHT],
            [{"Product2Id": SHOE}],
        ),
        ("search_products", ("running SHOES",), [NAMED], [SHOE]),
        ("search_products", ("running and shoes",), [NAMED], [SHOE]),
    ],
)
def test_where_the_modes_differ(name: str, arguments: tuple[Any, ...], clean: Any, faithful: Any) -> None:
    assert getattr(functions("clean"), name)(*arguments) == clean
    assert getattr(functions("faithful"), name)(*arguments) == faithful


@each_row(
    ("name", "arguments", "expected"),
    [
        ("get_agent_transferred_cases_by_period", FEBRUARY, {ANN: 1}),
        ("find_id_with_max_value", ({"a": 1, "b": 2, "c": 2.0},), ["b", "c"]),
        ("find_id_with_min_value", ({"a": 1, "b": 2, "c": 1},), ["a", "c"]),
        ("get_qualified_agent_ids_by_case_count", ({ANN: 3, BOB: 2}, 2), [ANN]),
        ("get_agents_with_max_cases", (owned(ANN, BOB, BOB, ANN),), [ANN, BOB]),
        ("get_agents_with_min_cases", (owned(ANN, BOB, BOB),), [ANN]),
        ("get_agents_with_max_cases", ([],), []),
        ("calculate_average_handle_time", ([timed(ANN), timed(ANN, LATER)],), {ANN: 15.0}),
        ("get_account_id_by_contact_id", (CONTACT,), TEXAS),
        ("get_account_id_by_contact_id", (CONTACT[:15],), TEXAS),
        ("get_purchase_history", (TEXAS, day("2022-01-04"), [SHOE]), []),
        ("search_products", ("sock shoe",), []),
        ("get_order_item_ids_by_product", (SHOE,), [ITEM, ITEM_2]),
        ("get_issues", (), ISSUES),
        ("get_start_date", (day("2022-03-31"), "month", 1), day("2022-02-28")),
        ("get_start_date", ("2024-05-31T10:20:30Z", "quarter", 1), "2024-02-29T10:20:30Z"),
        ("get_start_date", (day("2024-05-31"), "week", 2), day("2024-05-17")),
        ("get_start_date", (day("2024-05-31"), "day", 0), day("2024-05-31")),
        ("get_period", ("Winter", 2021), period("2021-12-01", "2022-03-01")),
        ("get_period", ("Q4", 2021), period("2021-10-01", "2022-01-01")),
        ("get_period", ("May", 99), period("0099-05-01", "0099-06-01")),
    ],
)
def test_where_the_modes_agree(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert getattr(functions("clean"), name)(*arguments) == expected
    assert getattr(functions("faithful"), name)(*arguments) == expected


@each_row(
    ("name", "arguments", "clean"),
    [
        ("get_start_date", (day("2022-03-31"), "year", 1), day("2021-03-31")),
        ("get_start_date", ("2022-03-31", "day", 1), day("2022-03-30")),
        ("get_start_date", ("2022-03-31T00:00:00.000+0200", "day", 1), "2022-03-29T22:00:00Z"),
        ("get_period", ("autumn", 2021), period("2021-09-01", "2021-12-01")),
        ("get_period", ("q1", 2021), period("2021-01-01", "2021-04-01")),
        ("get_issue_counts", (*JANUARY, []), {}),
        ("get_purchase_history", (TEXAS, "2022-01-03", [SHOE]), [BOUGHT]),
        ("get_purchase_history", (TEXAS, day("2022-01-03"), []), []),
        ("calculate_region_average_closure_times", ([],), {}),
    ],
)
def test_what_only_clean_functions_take(name: str, arguments: tuple[Any, ...], clean: Any) -> None:
    assert getattr(functions("clean"), name)(*arguments) == clean
    assert refused(lambda: getattr(functions("faithful"), name)(*arguments)).startswith("Error: ")


@each_row(
    ("name", "arguments", "says"),
    [
        ("get_start_date", ("soon", "day", 1), "end_date"),
        ("get_start_date", ("2022-03-31T00:00:00Z", "day", -1), "interval_count"),
        ("get_start_date", ("2022-03-31T00:00:00Z", "year", 10**9), "period|interval_count"),
        ("get_start_date", ("2022-03-31T00:00:00Z", "week", 10**30), "interval_count"),
        ("get_period", ("Lent", 2022), "period_name"),
        ("get_period", ("Winter", 9999), "period_name"),
        ("get_period", ("May", 0), "year"),
        ("get_period", ("May", 10**30), "year"),
        ("get_cases", (), "at least one"),
        ("get_cases", (None, None, [""]), "agent_ids"),
        ("get_cases", ("yesterday",), "start_date"),
        ("get_agents_with_max_cases", ([{"OwnerId": None}],), r"subset_cases\[0\]"),
        ("get_agents_with_max_cases", ([{}],), "OwnerId"),
        ("calculate_average_handle_time", ([{"OwnerId": ANN, "CreatedDate": "x"}],), "ClosedDate"),
        ("calculate_average_handle_time", ([timed(ANN, "2021-01-01T00:00:00.000+0000")],), "before"),
        ("calculate_average_handle_time", ([timed(ANN, "2023-99-99T00:00:00.000+0000")],), "ClosedDate"),
        ("get_month_to_case_count", ([{"CreatedDate": None}],), "CreatedDate"),
        ("get_shipping_state", ([{"AccountId": 3}],), "AccountId"),
        ("calculate_region_average_closure_times", ([{"ShippingState": 3}],), "ShippingState"),
        ("find_id_with_max_value", ({"a": float("nan")},), "finite"),
        ("search_products", ("!!! and",), "search_term"),
        ("get_email_messages_by_case_id", ("",), "case_id"),
    ],
)
def test_what_is_refused_names_the_argument(name: str, arguments: tuple[Any, ...], says: str) -> None:
    for mode in MODES:
        message = refused(lambda mode=mode: getattr(functions(mode), name)(*arguments))  # type: ignore[misc]
        assert message.startswith("Error: ") == (mode == "faithful")
        assert any(part in message.replace("[", r"\[").replace("]", r"\]") for part in says.split("|"))


def test_a_failed_query_is_refused_as_the_platform_refuses_it() -> None:
    for mode in MODES:
        message = refused(lambda mode=mode: functions(mode).get_order_item_ids_by_product("shoe"))  # type: ignore[misc]
        assert message.startswith("INVALID_QUERY_FILTER_OPERATOR: ")


def test_an_empty_list_matches_nothing_or_does_not_count() -> None:
    everything = [SHOE, SOCK]
    assert functions("clean").get_cases(*JANUARY, order_item_ids=[]) == []
    assert len(functions("faithful").get_cases(*JANUARY, order_item_ids=[])) == 2
    assert "at least one" in refused(lambda: functions("faithful").get_cases(case_ids=[], issue_ids=[]))
    assert functions("clean").get_cases(order_item_ids=everything) == []


def test_records_of_cases_say_which_they_are_or_do_not() -> None:
    (clean,) = functions("clean").get_cases(case_ids=[SECOND])
    (faithful,) = functions("faithful").get_cases(case_ids=[SECOND])
    assert clean == {"Id": SECOND, **faithful}
    assert list(faithful) == ["OwnerId", "CreatedDate", "ClosedDate", "AccountId"]


def test_open_cases_are_left_out_and_counted_or_spoil_everything() -> None:
    some = [timed(ANN, ShippingState="TX"), timed(ANN, None, ShippingState="TX")]
    clean = functions("clean")
    assert clean.calculate_average_handle_time(some) == {ANN: 10.0}
    assert clean.notes == ["1 open case left out"]
    assert "[1]" in refused(lambda: functions("faithful").calculate_average_handle_time(some))
    assert "[1]" in refused(lambda: functions("faithful").calculate_region_average_closure_times(some))


def test_a_state_needs_three_closed_cases_or_one() -> None:
    some = [timed(ANN, ShippingState=state) for state in ("TX", "TX", "TX", "OH", None)]
    clean = functions("clean")
    assert clean.calculate_region_average_closure_times(some) == {"TX": 600.0}
    assert clean.notes == ["left out, with fewer than 3 closed cases: OH"]
    assert functions("faithful").calculate_region_average_closure_times(some) == {"TX": 600.0, "OH": 600.0}


def test_states_are_added_to_copies_or_to_what_was_given() -> None:
    given: list[dict[str, Any]] = [
        {"AccountId": TEXAS},
        {"AccountId": None},
        {"AccountId": make_id("001", 9)},
    ]
    states = ["TX", None, None]
    found = functions("clean").get_shipping_state(given)
    assert [record["ShippingState"] for record in found] == states
    assert "ShippingState" not in given[0]
    assert functions("faithful").get_shipping_state(given) is given
    assert [record["ShippingState"] for record in given] == states
    assert functions("clean").get_shipping_state([]) == []


def test_messages_come_in_the_order_in_which_they_were_sent_or_made() -> None:
    clean, faithful = (functions(mode).get_email_messages_by_case_id(FIRST) for mode in MODES)
    assert [mail["Subject"] for mail in clean] == ["shoe", "Re: shoe"]
    assert [mail["Subject"] for mail in faithful] == ["Re: shoe", "shoe"]


def test_only_published_articles_are_found() -> None:
    for mode in MODES:
        found = functions(mode).search_knowledge_articles("returns or refunds")
        assert found == [{"Id": make_id("ka0", 1), "Title": "Returns", "Content": "Send it back."}]


class Counting:
    """An org that keeps the statements that it is asked."""

    def __init__(self, org: WorldOrg) -> None:
        self.org = org
        self.statements: list[str] = []
        self.search = org.search

    def query(self, soql: str) -> QueryResult:
        self.statements.append(soql)
        return self.org.query(soql)


def test_long_lists_are_asked_for_in_several_statements() -> None:
    org = Counting(opened(ORG))
    many = [make_id("500", number) for number in range(1, 1501)]
    owners = [make_id("005", number) for number in range(1, 301)]
    found = Functions(org).get_cases(case_ids=[*many, *many], agent_ids=owners)
    assert [record["Id"] for record in found] == [FIRST, SECOND, THIRD]
    assert len(org.statements) > 5
    assert max(map(len, org.statements)) < LISTED + 1_000


def test_parts_are_every_pair_of_parts() -> None:
    long = ["x" * 3000 + str(number) for number in range(4)]
    found = list(parts({"A": long, "B": ["1", "2"]}))
    assert len(found) == 4
    assert all(conditions[1] == "B IN ('1', '2')" for conditions in found)
