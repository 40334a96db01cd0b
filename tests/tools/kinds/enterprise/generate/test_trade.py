"""Products, sales, reviews, support chats and order documents of a generated enterprise."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from tests.tools.kinds.enterprise.generate.worlds import full, records, small
from worksmith.tools.kinds.enterprise.generate.business.support_chats import PROMISES


def test_every_customer_has_three_documents() -> None:
    orders = records(small(), "orders")
    kinds = ("invoice", "purchase_order", "shipping_order")
    assert {order["kind"] for order in orders} == {*kinds}
    paths = {order["path"] for order in orders}
    for customer in records(small(), "customers"):
        assert {customer[f"{kind}_path"] for kind in kinds} <= paths


@pytest.mark.slow
def test_degrees_are_spread_widely() -> None:
    for column, least, most in (("product_id", 3, 60), ("customer_id", 5, 120)):
        degrees = sorted(Counter(sale[column] for sale in records(full(), "sales")).values())
        assert (degrees[0], degrees[-1]) == (least, most)
        assert degrees[-2] < most
    chats = Counter(chat["emp_id"] for chat in records(full(), "support_chats"))
    assert 15 <= min(chats.values()) < max(chats.values()) <= 60


def test_some_sales_have_no_review_and_some_two() -> None:
    reviews = Counter((r["product_id"], r["customer_id"]) for r in records(small(), "sentiments"))
    sales = {(s["product_id"], s["customer_id"]) for s in records(small(), "sales")}

    assert sales - reviews.keys()
    assert set(reviews.values()) == {1, 2}


def test_support_chats_are_conversations_of_some_length() -> None:
    for chat in records(small(), "support_chats"):
        speakers = [line.partition(":")[0] for line in chat["text"].splitlines()]
        assert set(speakers) == {"Customer", "Agent"}
        assert len(speakers) >= 6
        assert 120 <= len(chat["text"].split()) <= 500


def test_promises_of_support_chats_are_due_after_the_chat() -> None:
    days = {row["chat_id"]: row["interaction_date"] for row in records(small(), "support_chats")}
    seen = defaultdict(set)

    for latent in small().latents_of("support_chats"):
        seen[latent.facts["outcome"]].add(latent.facts["promise"])
        if latent.facts["promise"] != "none":
            assert latent.facts["due"] > days[latent.ref.partition("/")[2]]
    wanted = {**{outcome: {promise} for outcome, promise in PROMISES.items()}, "unresolved": {"none"}}
    assert len(seen) >= 5
    assert seen.items() <= wanted.items()


def test_refunds_are_what_was_paid() -> None:
    paid = {
        s["sales_record_id"]: int(s["quantity"]) * int(s["discounted_price"])
        for s in records(small(), "sales")
    }

    refunds = [latent for latent in small().latents_of("support_chats") if latent.kind == "refund"]
    assert refunds
    for latent in refunds:
        assert int(latent.facts["amount"]) == paid[latent.facts["order"]]


def test_clients_try_products_that_there_are() -> None:
    names = {row["product_name"] for row in records(small(), "products")}

    assert {row["current_poc_product"] for row in records(small(), "clients")} <= names
    assert {row["poc_status"] for row in records(small(), "clients")} == {"ongoing", "accepted"}


def test_resumes_agree_with_the_person() -> None:
    people = {r["emp_id"]: r for r in records(small(), "employees")}
    truths = {latent.ref: latent.facts for latent in small().latents_of("employees")}

    for latent in small().latents_of("resumes"):
        person = truths[latent.refs[0]]
        for fact in ("employer", "years_before"):
            assert latent.facts.get(fact) == person.get(fact)
    for resume in records(small(), "resumes"):
        person = people[resume["emp_id"]]
        assert resume["name"] == person["name"]
        assert resume["created_date"] < person["doj"]
