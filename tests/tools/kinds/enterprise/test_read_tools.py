"""What the read tools find, and how they show it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import (
    CEO,
    GITA,
    HARI,
    IT_LEAD,
    LEAD,
    SALES_LEAD,
    SALES_MANAGER,
)
from worksmith.tools.dispatch import Observation
from worksmith.tools.environment import Environment


def call(as_: Open, who: str, tool: str, **arguments: Any) -> Observation:
    return as_(who).call(tool, arguments)


def found(as_: Open, who: str, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    observation = call(as_, who, tool, **arguments)
    assert observation.status == "ok", observation.text
    records: list[dict[str, Any]] = observation.value["records"]
    return records


def keys(as_: Open, who: str, tool: str, **arguments: Any) -> list[str]:
    return [next(iter(record.values())) for record in found(as_, who, tool, **arguments)]


FOUND = tomllib.loads(Path(__file__).with_name("read_calls.toml").read_text("utf-8"))["found"]


@each_row(("emp_id", "tool", "arguments", "expected"), FOUND)
def test_selectors(as_: Open, emp_id: str, tool: str, arguments: dict[str, Any], expected: list[str]) -> None:
    assert keys(as_, emp_id, tool, **arguments) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "conversations.read",
            {"with_employee": "sharma"},
            "2 employees match 'sharma': emp_0007 Gita Sharma",
        ),
        ("conversations.read", {"with_employee": "Nobody"}, "No employee matches 'Nobody'"),
        ("conversations.read", {"date_from": "yesterday"}, "write YYYY-MM-DD"),
        ("conversations.read", {"limit": 0}, "limit"),
        ("employee_data.read", {"level": "99"}, "99"),
        ("employee_data.read", {"department": "Magic"}, "EN Engineering"),
        ("overflow.read", {"post_type": "riddle"}, "question, answer"),
        ("document.read", {}, "query or a title"),
        ("llm.call", {"prompt": "Sum up."}, "no language model"),
    ],
)
def test_what_makes_no_sense_is_refused_with_advice(
    as_: Open, tool: str, arguments: dict[str, Any], message: str
) -> None:
    observation = call(as_, GITA, tool, **arguments)

    assert observation.status == "tool_error"
    assert message in observation.text


def test_a_product_named_ambiguously_is_not_guessed(as_: Open) -> None:
    observation = call(as_, SALES_LEAD, "sales.read", product_name="nimbus")

    assert observation.status == "tool_error"
    assert "PRD-0001 Nimbus Wireless Headphones, PRD-0002 Nimbus Kettle" in observation.text


def test_names_stand_beside_ids(as_: Open) -> None:
    (sale,) = found(as_, SALES_LEAD, "sales.read", sales_record_id="SAL-00001")
    (ticket,) = found(as_, IT_LEAD, "it_service_management.read_issue", ticket_id="1001")
    (person,) = found(as_, GITA, "employee_data.read", name="Farid")

    assert (sale["product_name"], sale["customer_name"]) == ("Nimbus Wireless Headphones", "Anand Stores")
    assert sale["seller_name"] == "Pia Sen"
    assert (ticket["raised_by_name"], ticket["resolver_name"]) == ("Gita Sharma", "Jay Bose")
    assert person["manager_name"] == "Esha Pillai"
    assert person["reportees"] == [GITA, HARI, "emp_0020"]


def test_a_file_comes_with_the_issues_that_may_be_read(as_: Open) -> None:
    (mine,) = found(as_, GITA, "github.read", owner="me")

    assert mine["issues"] == [
        {"issue_id": "ISS-0001", "title": "Empty lines break the parser", "status": "open"}
    ]


def test_total_counts_all_and_limit_shows_some(as_: Open) -> None:
    observation = call(as_, GITA, "employee_data.read", limit=2)

    assert observation.value["total"] == 20
    assert len(observation.value["records"]) == 2


def test_long_texts_are_cut_only_among_many_records(as_: Open) -> None:
    episode = as_(GITA)
    for _ in range(4):
        episode.call("social_platform.create", {"title": "Long", "body": "x" * 1000})

    many = episode.call("social_platform.read", {"author": "me"}).value["records"]
    one = episode.call("social_platform.read", {"post_id": many[0]["post_id"]}).value["records"]

    assert {len(post["body"]) for post in many} == {300}
    assert len(one[0]["body"]) == 1000


def test_null_counts_as_not_given(as_: Open) -> None:
    assert keys(as_, GITA, "conversations.read", with_employee=None, sender="me", limit=None) == ["CV-00001"]


def test_one_select_over_what_may_be_read(as_: Open) -> None:
    sql = "SELECT name, salary FROM employees WHERE level = '09' AND department = 'EN' ORDER BY emp_id"

    shown = found(as_, LEAD, "tables.query", sql=sql)

    assert [row["salary"] for row in shown] == ["60000", "61000", "59000"]
    assert [row["salary"] for row in found(as_, GITA, "tables.query", sql=sql)] == ["60000", None, None]


@pytest.mark.parametrize(
    "sql", ["DELETE FROM mail", "SELECT 1; SELECT 2", "SELECT * FROM sqlite_master", "?"]
)
def test_nothing_but_one_select(as_: Open, sql: str) -> None:
    assert call(as_, CEO, "tables.query", sql=sql).status in ("tool_error", "denied")


def test_asking_the_model(small: Environment) -> None:
    episode = small.episode(persona=small.persona(GITA), ask=lambda prompt: prompt.upper())

    assert episode.call("llm.call", {"prompt": "short"}).text == "SHORT"


def test_a_manager_of_sales_reads_all_support_chats_only_if_the_rules_say_so(as_: Open) -> None:
    assert keys(as_, SALES_MANAGER, "customer_support_chats.read") == []
    assert keys(as_, CEO, "customer_support_chats.read") == ["SUP-0002", "SUP-0001"]
