"""The packaged rules of access, as agents meet them through tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import (
    CEO,
    CTO,
    GITA,
    HARI,
    HR_ASSOCIATE,
    HR_LEAD,
    HR_MANAGER,
    IT_LEAD,
    LEAD,
    LEFT,
    SALES_ASSOCIATE,
    VENDOR_MANAGER,
)

PRIVATE = {"salary", "age", "gender", "marital_status", "performance_rating", "dol", "remaining_sick_leaves"}
LINE = {"product_id": "PRD-0001", "customer_id": "CUS-0001"}
FILE = {"repo_name": "pay/parser", "path": "src/parse.py"}


@each_row(
    ("who", "tool", "arguments"),
    [
        # self-protection
        (HR_LEAD, "employee_data.update", {"emp_id": "me", "salary": "999999"}),
        # department
        (GITA, "employee_data.update", {"emp_id": HARI, "title": "Boss"}),
        (GITA, "sales.create", LINE),
        # level
        (HR_ASSOCIATE, "employee_data.update", {"emp_id": GITA, "salary": "70000"}),
        (SALES_ASSOCIATE, "products.update", {"product_id": "PRD-0001", "discounted_price": "1"}),
        (HARI, "github.read", {"file_id": "pay/parser:src/parse.py"}),
        # participant
        (GITA, "conversations.read", {"conversation_id": "CV-00003"}),
        (GITA, "enterprise_mail_system.read", {"email_id": "EM-000003"}),
        (GITA, "conversations.update", {"conversation_id": "CV-00002", "text": "No."}),
        # owner or author
        (HARI, "github.update", {**FILE, "license": "gpl-3.0"}),
        (SALES_ASSOCIATE, "customer_support_chats.read", {"chat_id": "SUP-0002"}),
        (GITA, "social_platform.update", {"post_id": "POST-00001", "title": "No"}),
        # left
        (LEFT, "employee_data.read", {"emp_id": "me"}),
    ],
)
def test_denied(as_: Open, who: str, tool: str, arguments: dict[str, str]) -> None:
    episode = as_(who)

    observation = episode.call(tool, arguments)

    assert observation.status == "denied", observation.text
    assert observation.text.startswith("Access denied")
    assert episode.outcome().empty
    decision = episode.calls[0].decision
    assert decision is not None
    assert not decision.allow


@each_row(
    ("who", "tool", "arguments"),
    [
        (HR_LEAD, "employee_data.update", {"emp_id": GITA, "salary": "70000"}),
        (LEAD, "github.read", {"file_id": "pay/parser:src/parse.py"}),
        (LEAD, "github.update", {**FILE, "license": "gpl-3.0"}),
        (GITA, "github_issues.update", {"issue_id": "ISS-0001", "status": "closed"}),
        (GITA, "it_service_management.update_issue", {"ticket_id": "1001", "priority": "low"}),
        (VENDOR_MANAGER, "products.read", {"product_id": "PRD-0001"}),
        (SALES_ASSOCIATE, "sales.create", LINE),
        (VENDOR_MANAGER, "customer_support_chats.read", {"chat_id": "SUP-0001"}),
        (GITA, "resumes.read", {"employee": "me"}),
    ],
)
def test_allowed(as_: Open, who: str, tool: str, arguments: dict[str, str]) -> None:
    observation = as_(who).call(tool, arguments)

    assert observation.status == "ok", observation.text
    assert observation.value.get("total") != 0


@pytest.mark.parametrize(
    ("who", "sees"),
    [
        (GITA, True),
        (LEAD, True),
        (CTO, True),
        (HR_ASSOCIATE, True),
        (CEO, True),
        (HARI, False),
        (IT_LEAD, False),
    ],
)
def test_private_fields_are_absent_where_they_are_not_for_one(as_: Open, who: str, sees: bool) -> None:
    value = as_(who).call("employee_data.read", {"emp_id": GITA}).value
    (record,) = value["records"]

    assert record.keys() >= PRIVATE if sees else not PRIVATE & record.keys()
    assert "withheld" not in value if sees else set(value["withheld"].split(", ")) >= PRIVATE
    assert record["skills"] == "Python, SQL"


def test_lists_leave_out_what_one_may_not_read(as_: Open) -> None:
    def shown(who: str, tool: str, **arguments: Any) -> int:
        total: int = as_(who).call(tool, arguments).value["total"]
        return total

    assert shown(HARI, "github.read") == 1
    assert shown(LEAD, "github.read") == 3
    assert shown(HARI, "it_service_management.read_issue") == 0
    assert shown(IT_LEAD, "it_service_management.read_issue") == 2
    assert shown(CEO, "conversations.read") == 0
    assert shown(SALES_ASSOCIATE, "customer_support_chats.read") == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM employees WHERE CAST(salary AS INTEGER) > 100000",
        "SELECT count(*) AS n FROM mail WHERE subject LIKE '%bonus%'",
        "SELECT count(*) AS n FROM sales",
    ],
)
def test_no_condition_reaches_what_is_hidden(as_: Open, sql: str) -> None:
    assert as_(GITA).call("tables.query", {"sql": sql}).value["records"] == [{"n": 0}]


def test_a_denial_says_nothing_about_the_record(as_: Open) -> None:
    episode = as_(GITA)

    texts = [
        episode.call("enterprise_mail_system.read", {"email_id": "EM-000003"}).text,
        episode.call(
            "enterprise_mail_system.create", {"recipient": HARI, "thread_id": "THR-000002", "body": "?"}
        ).text,
        json.dumps(episode.call("enterprise_mail_system.read", {"query": "bonus pool confidential"}).value),
        json.dumps(episode.call("conversations.read", {"query": "secret restructuring"}).value),
    ]

    for secret in ("bonus pool", "Kiran", "HR Manager", "restructuring"):
        assert not any(secret.lower() in text.lower() for text in texts), secret


def test_who_left_cannot_be_revived_by_an_update(as_: Open) -> None:
    observation = as_(HR_MANAGER).call("employee_data.update", {"emp_id": LEFT, "is_valid": "TRUE"})

    assert observation.status == "bad_arguments"


def test_a_denied_step_leaves_what_was_done_before(as_: Open) -> None:
    episode = as_(GITA)
    episode.call("social_platform.create", {"title": "One", "body": "Two"})

    assert episode.call("github.update", {"repo_name": "pay/parser", "license": "gpl-3.0"}).status == "denied"

    (made,) = episode.outcome().changes
    assert made.table == "posts"
