from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.crm.worlds import call, episode
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.crm.functions.handles import SHOWN, resolved, shown

ALWAYS = {"start_date": "2000-01-01T00:00:00Z", "end_date": "2100-01-01T00:00:00Z"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


def test_handles_chain_calls_and_every_call_has_a_number() -> None:
    mine = episode(["functions"], "service_manager")
    counts = call(mine, "functions.get_agent_handled_cases_by_period", **ALWAYS)
    mine.call("functions.get_period", {"period_name": "Lent", "year": 2022})  # the second call, which fails
    some = call(mine, "functions.get_qualified_agent_ids_by_case_count", agent_handled_cases="#1", n_cases=0)
    found = mine.call("functions.get_cases", {"agent_ids": "#3", "statuses": ["Closed"]})
    assert some == list(counts)
    assert json.loads(found.text)["handle"] == "#4"
    assert {record["OwnerId"] for record in found.value} <= set(counts)
    times = call(mine, "functions.calculate_average_handle_time", cases=" #4 ")
    (best,) = call(mine, "functions.find_id_with_max_value", values_by_id="#5")
    assert times[best] == max(times.values())


def test_a_function_takes_the_data_itself_as_well() -> None:
    mine = episode(["functions"], "service_manager")
    assert call(mine, "functions.find_id_with_max_value", values_by_id={"a": 1, "b": 3}) == ["b"]
    assert call(mine, "functions.find_id_with_max_value", values_by_id='{"a": 1, "b": 3}') == ["b"]


def test_what_a_function_does_to_its_data_does_not_change_what_an_earlier_call_returned() -> None:
    mine = episode(["functions"], "service_analyst", mode="faithful")
    before = call(mine, "functions.get_cases", start_date="2000-01-01T00:00:00Z")
    after = call(mine, "functions.get_shipping_state", cases="#1")
    assert "ShippingState" in after[0]
    assert "ShippingState" not in before[0]


@each_row(
    ("handle", "says"),
    [
        ("#0", "cases must be a list of records"),
        ("#9", "#9 stands for nothing, there have been 4 calls"),
        ("#99999999999999999999", "cases must be a list of records"),
        ("#1", "#1 is a dictionary"),
        ("#2", "#2 is a single value"),
        ("#3", "#3 is a list of values"),
        ("#4", "#4 is nothing"),
        ("cases", "or the handle of an earlier result, such as #3"),
        ("[1", "or the handle of an earlier result"),
        ("#\u0663", "or the handle of an earlier result"),
    ],
)
def test_a_handle_to_nothing_or_to_something_else_says_what_to_pass(handle: str, says: str) -> None:
    mine = episode(["functions"], "service_manager")
    mine.call("functions.get_period", {"period_name": "May", "year": 2022})
    mine.call("functions.get_start_date", {"end_date": "2022-01-01", "period": "day", "interval_count": 1})
    mine.call("functions.get_non_transferred_case_ids", ALWAYS)
    mine.call("functions.get_start_date", {"end_date": "soon", "period": "day", "interval_count": 1})
    found = mine.call("functions.get_month_to_case_count", {"cases": handle})
    assert found.status == "tool_error"
    assert says in found.text


@pytest.mark.parametrize("number", ["1" + 400 * "0", "-1" + 400 * "0"])
def test_numbers_of_any_size_are_compared(number: str) -> None:
    mine = episode(["functions"])
    values = f'{{"a": 1, "b": {number}}}'
    most, least = ("a", "b") if number.startswith("-") else ("b", "a")
    assert call(mine, "functions.find_id_with_max_value", values_by_id=values) == [most]
    assert call(mine, "functions.find_id_with_min_value", values_by_id=values) == [least]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_what_is_no_finite_number_is_refused(number: str) -> None:
    mine = episode(["functions"])
    found = mine.call("functions.find_id_with_max_value", {"values_by_id": f'{{"a": 1, "b": {number}}}'})
    assert (found.status, found.text) == ("tool_error", "values_by_id must hold finite numbers")


@given(st.lists(JSON, max_size=20) | st.dictionaries(st.text(max_size=8), JSON, max_size=20))
def test_what_is_shown_is_the_beginning_of_the_result_and_fits(value: Any) -> None:
    text = json.loads(shown(value, 7).text)
    assert (text["handle"], text["size"]) == ("#7", len(value))
    part = text["all"] if "all" in text else text["first"]
    assert len(part) >= min(1, len(value))
    entries = list(part.items()) if isinstance(part, dict) else part
    assert entries == (list(value.items()) if isinstance(value, dict) else value)[: len(part)]
    assert ("all" in text) == (len(part) == len(value))
    if len(part) > 1:
        assert len(json.dumps(part, ensure_ascii=False)) <= SHOWN + 2


@given(JSON, st.sampled_from(["records", "ids", "numbers"]), st.lists(JSON, max_size=3))
def test_whatever_is_passed_is_of_the_right_shape_or_refused(
    given_value: Any, shape: Any, results: Any
) -> None:
    for value in (given_value, json.dumps(given_value), "#1", "#2"):
        try:
            found = resolved("x", value, shape, results)
        except ToolError:
            continue
        entries = found.values() if shape == "numbers" else found
        kinds = {"records": dict, "ids": str, "numbers": int | float}[shape]
        assert all(isinstance(each, kinds) for each in entries)


def test_emails_and_articles_are_shown_whole() -> None:
    mine = episode(["functions"])
    case = call(episode(["query"]), "query.soql", query="SELECT ParentId FROM EmailMessage LIMIT 1")
    found = mine.call("functions.get_email_messages_by_case_id", {"case_id": case["records"][0]["ParentId"]})
    assert json.loads(found.text)["all"] == found.value
    assert len(found.text) > SHOWN


def test_plain_functions_show_their_results_as_they_are() -> None:
    mine = episode(["plain"], "service_manager")
    found = mine.call("plain.get_non_transferred_case_ids", ALWAYS)
    assert json.loads(found.text) == found.value
    assert mine.call("plain.get_cases", {"case_ids": "#1"}).status == "bad_arguments"
    cases = call(mine, "plain.get_cases", case_ids=found.value)
    still = len([case for case in cases if case["ClosedDate"] is None])
    times = mine.call("plain.calculate_average_handle_time", {"cases": cases})
    assert still
    assert times.text.startswith(json.dumps(times.value) + f"\n{still} open case")
