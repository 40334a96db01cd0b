"""What the write tools change, seen from the outcomes of episodes."""

from __future__ import annotations

import pytest

from tests.tools.kinds.enterprise.calls import TODAY, call, change, refusal
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import (
    CTO,
    GITA,
    HARI,
    IT_ASSOCIATE,
    IT_LEAD,
    LEAD,
    SALES_ASSOCIATE,
    SALES_LEAD,
    SALES_MANAGER,
    address,
)


def test_a_chat_is_sent_by_the_persona_today(as_: Open) -> None:
    operation, _, chat = change(as_, GITA, "conversations.create", recipient="Farid", text="Done.")

    assert operation == "insert"
    assert chat == {
        "conversation_id": "CV-00004",
        "sender_emp_id": GITA,
        "recipient_emp_id": LEAD,
        "category": "Engineering",
        "date": TODAY,
        "text": "Done.",
    }


def test_a_mail_opens_a_thread_and_a_reply_stays_in_it(as_: Open) -> None:
    episode = as_(GITA)

    first = call(
        episode, "enterprise_mail_system.create", recipient=address(HARI), subject="Plan", body="Soon."
    )
    reply = call(
        episode, "enterprise_mail_system.create", recipient=HARI, thread_id=first["thread_id"], body="Now."
    )

    assert first == {"email_id": "EM-000006", "thread_id": "THR-000005", "done": "created"}
    assert reply == {"email_id": "EM-000007", "thread_id": "THR-000005", "done": "created"}
    mails = [made.after for made in episode.outcome().changes]
    assert [mail["subject"] for mail in mails] == ["Plan", "Re: Plan"]
    assert {mail["date"] for mail in mails} == {"2022-12-31T18:00:00"}
    assert {(mail["sender_name"], mail["recipient_email"]) for mail in mails} == {
        ("Gita Sharma", address(HARI))
    }


def test_nobody_replies_in_a_thread_of_others(as_: Open) -> None:
    message = refusal(
        as_, GITA, "enterprise_mail_system.create", recipient=HARI, thread_id="THR-000002", body="Hello."
    )

    assert "THR-000002" in message
    assert "bonuses" not in message


@pytest.mark.parametrize("tool", ["conversations.create", "enterprise_mail_system.create"])
@pytest.mark.parametrize(
    ("recipient", "message"),
    [
        ("emp_9999", "No employee matches"),
        ("Tara Left", "has left the company"),
        ("me", "somebody else"),
        ("Sharma", "2 employees match"),
        ("", "recipient is missing"),
    ],
)
def test_who_can_be_written_to(as_: Open, tool: str, recipient: str, message: str) -> None:
    texts = {"text": "Hi."} if tool.startswith("conv") else {"subject": "Hi", "body": "Hi."}

    assert message in refusal(as_, GITA, tool, recipient=recipient, **texts)


def test_a_ticket_is_raised_resolved_and_reopened(as_: Open) -> None:
    _, _, ticket = change(
        as_, GITA, "it_service_management.create_issue", issue="No sound.", category="Audio", resolver="Jay"
    )
    assert ticket["ticket_id"] == "1003"
    assert (ticket["raised_by_emp_id"], ticket["emp_id"]) == (GITA, IT_ASSOCIATE)
    assert (ticket["status"], ticket["priority"], ticket["assigned_date"]) == ("open", "medium", TODAY)

    _, _, after = change(
        as_,
        IT_LEAD,
        "it_service_management.update_issue",
        ticket_id="1001",
        status="resolved",
        resolution="Ok.",
    )
    assert after == {"status": "resolved", "resolution": "Ok.", "closed_date": TODAY}

    _, before, after = change(
        as_, IT_LEAD, "it_service_management.update_issue", ticket_id="1002", status="open", priority="HIGH"
    )
    assert after == {"status": "open", "priority": "high", "closed_date": None}
    assert before["closed_date"] == "2022-09-05"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ticket_id": "1001", "status": "resolved"}, "how the ticket was resolved"),
        ({"ticket_id": "1001", "status": "open"}, "open already"),
        ({"ticket_id": "1001", "priority": "urgent"}, "high, medium, low"),
        ({"ticket_id": "1001", "resolver": "Gita Sharma"}, "does not work in Information Technology"),
        ({"ticket_id": "4711", "priority": "low"}, "4711"),
    ],
)
def test_what_a_ticket_may_not_become(as_: Open, arguments: dict[str, str], message: str) -> None:
    assert message in refusal(as_, IT_LEAD, "it_service_management.update_issue", **arguments)


def test_a_product_is_added_and_its_price_changed(as_: Open) -> None:
    _, _, product = change(
        as_,
        SALES_LEAD,
        "products.create",
        product_name="Brisa Lamp",
        category="Home | Lighting",
        discounted_price="₹1,499.00",
        actual_price="1,999.5",
    )
    assert (product["product_id"], product["category"]) == ("PRD-0004", "Home|Lighting")
    assert (product["discounted_price"], product["actual_price"], product["stock"]) == (
        "1499",
        "1999.50",
        "0",
    )

    _, _, after = change(as_, SALES_LEAD, "products.update", product_id="PRD-0001", discounted_price="1400")
    assert after == {"discounted_price": "1400"}


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (
            "products.update",
            {"product_id": "PRD-0001", "discounted_price": "2001"},
            "higher than actual_price",
        ),
        ("products.update", {"product_id": "PRD-0001", "product_name": "brisa fan"}, "already"),
        ("products.update", {"product_id": "PRD-0099", "stock": "1"}, "PRD-0099"),
        ("products.update", {"product_id": "PRD-0001", "stock": "1.5"}, "whole number"),
        ("customers.create", {"customer_name": "ANAND stores"}, "already"),
        ("sales.create", {"product_id": "PRD-0099", "customer_id": "CUS-0001"}, "PRD-0099"),
        ("sales.create", {"product_id": "PRD-0001", "customer_id": "CUS-0099"}, "CUS-0099"),
        (
            "sales.create",
            {"product_id": "PRD-0001", "customer_id": "CUS-0001", "quantity": "0"},
            "at least 1",
        ),
        ("sales.update", {"sales_record_id": "SAL-00001", "date_of_purchase": "2023-01-01"}, "future"),
        ("sales.update", {"sales_record_id": "SAL-00001", "date_of_purchase": "04-03-2022"}, "YYYY-MM-DD"),
    ],
)
def test_what_the_catalogue_refuses(as_: Open, tool: str, arguments: dict[str, str], message: str) -> None:
    assert message in refusal(as_, SALES_LEAD, tool, **arguments)


def test_a_sale_takes_prices_seller_and_discount(as_: Open) -> None:
    _, _, sale = change(
        as_, SALES_ASSOCIATE, "sales.create", product_id="PRD-0002", customer_id="CUS-0001", quantity="3"
    )

    assert sale == {
        "sales_record_id": "SAL-00003",
        "product_id": "PRD-0002",
        "customer_id": "CUS-0001",
        "emp_id": SALES_ASSOCIATE,
        "quantity": "3",
        "discounted_price": "999.50",
        "actual_price": "1200",
        "discount_percentage": "17",
        "date_of_purchase": TODAY,
    }


def test_a_new_price_gives_a_new_discount(as_: Open) -> None:
    _, _, after = change(
        as_, SALES_LEAD, "sales.update", sales_record_id="SAL-00001", discounted_price="1000"
    )

    assert after == {"discounted_price": "1000", "discount_percentage": "50"}


def test_customers_reviews_and_support_chats(as_: Open) -> None:
    episode = as_(SALES_LEAD)
    bought = {"product_id": "PRD-0003", "customer_id": "CUS-0002"}

    call(episode, "customers.update", customer_id="CUS-0001", customer_name="Anand & Sons")
    call(episode, "customer_support_chats.create", **bought, text="It hums.", interaction_date="2022-12-30")
    call(episode, "product_sentiment.create", **bought, review_content="Silent.")

    customer, review, chat = episode.outcome().changes
    assert customer.after == {"customer_name": "Anand & Sons"}
    assert (review.after["sentiment_id"], review.after["review_id"]) == ("SEN-00002", "REV-00002")
    assert review.after["review_date"] == TODAY
    assert (chat.after["emp_id"], chat.after["interaction_date"]) == (SALES_LEAD, "2022-12-30")


def test_posts_and_questions(as_: Open) -> None:
    _, _, post = change(as_, GITA, "social_platform.create", title="Cake", body="In the kitchen.")
    assert (post["post_id"], post["emp_id"], post["author"]) == ("POST-00002", GITA, "Gita Sharma")

    _, _, answer = change(as_, GITA, "overflow.create", body="Restart it.", parent_id="Q-00001")
    assert (answer["post_id"], answer["post_type"], answer["parent_id"]) == ("A-00003", "answer", "Q-00001")
    _, _, question = change(as_, GITA, "overflow.create", title="Why?", body="It fails.", tags="SQL,  Python")
    assert (question["post_id"], question["tags"]) == ("Q-00002", "sql, python")

    _, _, after = change(as_, HARI, "overflow.update", post_id="Q-00001", accepted_answer_id="A-00002")
    assert after == {"accepted_answer_id": "A-00002", "last_activity_date": TODAY}

    assert "no answer" in refusal(
        as_, HARI, "overflow.update", post_id="Q-00001", accepted_answer_id="Q-00001"
    )
    assert "no question" in refusal(as_, GITA, "overflow.create", body="Me too.", parent_id="A-00002")


@pytest.mark.parametrize(
    ("who", "tool", "arguments", "table"),
    [
        (GITA, "conversations.delete", {"conversation_id": "CV-00002"}, "conversations"),
        (GITA, "enterprise_mail_system.delete", {"email_id": "EM-000001"}, "mail"),
        (GITA, "github.delete", {"repo_name": "pay/parser", "path": "src/parse.py"}, "repositories"),
        (HARI, "github_issues.delete", {"issue_id": "ISS-0001"}, "issues"),
        (IT_LEAD, "it_service_management.delete_issue", {"ticket_id": "1001"}, "tickets"),
        (SALES_MANAGER, "products.delete", {"product_id": "PRD-0003"}, "products"),
        (SALES_MANAGER, "customers.delete", {"customer_id": "CUS-0001"}, "customers"),
        (SALES_MANAGER, "sales.delete", {"sales_record_id": "SAL-00001"}, "sales"),
        (SALES_MANAGER, "product_sentiment.delete", {"sentiment_id": "SEN-00001"}, "sentiments"),
        (SALES_LEAD, "customer_support_chats.delete", {"chat_id": "SUP-0002"}, "support_chats"),
        ("emp_0005", "social_platform.delete", {"post_id": "POST-00001"}, "posts"),
        (HARI, "overflow.delete", {"post_id": "Q-00001"}, "overflow"),
    ],
)
def test_what_is_deleted_is_gone(
    as_: Open, who: str, tool: str, arguments: dict[str, str], table: str
) -> None:
    episode = as_(who)

    value = call(episode, tool, **arguments)

    (made,) = episode.outcome().changes
    assert (made.table, made.operation, value["done"]) == (table, "delete", "deleted")
    assert episode.call(tool, arguments).status == "tool_error"


@pytest.mark.parametrize(
    ("who", "tool", "arguments", "after"),
    [
        (GITA, "conversations.update", {"conversation_id": "CV-00001", "text": "Ready."}, {"text": "Ready."}),
        (
            GITA,
            "enterprise_mail_system.update",
            {"email_id": "EM-000002", "importance": "high"},
            {"importance": "High"},
        ),
        ("emp_0005", "social_platform.update", {"post_id": "POST-00001", "title": "Won"}, {"title": "Won"}),
        (
            CTO,
            "github.update",
            {"repo_name": "ops/probes", "path": "probe.py", "license": "MIT"},
            {"license": "mit"},
        ),
        (
            SALES_LEAD,
            "product_sentiment.update",
            {"sentiment_id": "SEN-00001", "review_date": "2022-03-21"},
            {"review_date": "2022-03-21"},
        ),
        (
            SALES_ASSOCIATE,
            "customer_support_chats.update",
            {"chat_id": "SUP-0001", "text": "Solved."},
            {"text": "Solved."},
        ),
    ],
)
def test_updates_change_only_what_they_name(
    as_: Open, who: str, tool: str, arguments: dict[str, str], after: dict[str, str]
) -> None:
    operation, before, changed = change(as_, who, tool, **arguments)

    assert operation == "update"
    assert changed == after
    assert before.keys() == after.keys()
