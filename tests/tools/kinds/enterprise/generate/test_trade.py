"""Products, sales, reviews, support chats and order documents of a generated enterprise."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from tests.tools.kinds.enterprise.generate.worlds import full, records, small
from worksmith.tools.kinds.enterprise.generate.business.support_chats import PROMISES

STARS = {"-1": {"1", "2"}, "0": {"3"}, "1": {"4", "5"}}


def test_discounts_fit_the_prices() -> None:
    for sale in records(small(), "sales"):
        price, full_price = int(sale["discounted_price"]), int(sale["actual_price"])
        assert int(sale["discount_percentage"]) == round(100 * (full_price - price) / full_price)


def test_orders_total_what_was_sold() -> None:
    spent: Counter[str] = Counter()
    for sale in records(small(), "sales"):
        spent[sale["customer_id"]] += int(sale["quantity"]) * int(sale["discounted_price"])

    orders = records(small(), "orders")
    assert {order["kind"] for order in orders} == {"invoice", "purchase_order", "shipping_order"}
    for order in orders:
        assert int(order["total"]) == spent[order["customer_id"]]
        assert f"Total: {order['total']} rupees" in order["text"]
    paths = {order["path"] for order in orders}
    for customer in records(small(), "customers"):
        assert {customer[f"{kind}_path"] for kind in ("invoice", "purchase_order", "shipping_order")} <= paths


@pytest.mark.slow
def test_degrees_are_spread_widely() -> None:
    for column, least, most in (("product_id", 3, 60), ("customer_id", 5, 120)):
        degrees = sorted(Counter(sale[column] for sale in records(full(), "sales")).values())
        assert (degrees[0], degrees[-1]) == (least, most)
        assert degrees[-2] < most
    chats = Counter(chat["emp_id"] for chat in records(full(), "support_chats"))
    assert 15 <= min(chats.values()) < max(chats.values()) <= 60


def test_reviews_come_after_the_purchase_and_mean_what_their_stars_say() -> None:
    bought = {(s["product_id"], s["customer_id"]): s["date_of_purchase"] for s in records(small(), "sales")}
    rows = {row["sentiment_id"]: row for row in records(small(), "sentiments")}

    for latent in small().latents_of("sentiments"):
        row = rows[latent.ref.partition("/")[2]]
        assert bought[row["product_id"], row["customer_id"]] < row["review_date"] <= "2022-12-31"
        assert latent.facts["stars"] in STARS[latent.facts["polarity"]]
        assert latent.facts["aspect"] in row["review_content"]
    assert {latent.facts["polarity"] for latent in small().latents_of("sentiments")} == set(STARS)


def test_some_sales_have_no_review_and_some_two() -> None:
    reviews = Counter((r["product_id"], r["customer_id"]) for r in records(small(), "sentiments"))
    sales = {(s["product_id"], s["customer_id"]) for s in records(small(), "sales")}

    assert sales - reviews.keys()
    assert set(reviews.values()) == {1, 2}


def test_support_chats_are_held_by_sales_people_in_office() -> None:
    people = {r["emp_id"]: r for r in records(small(), "employees")}

    for chat in records(small(), "support_chats"):
        person = people[chat["emp_id"]]
        assert person["department"] == "SA"
        assert person["doj"] <= chat["interaction_date"] <= (person["dol"] or "2022-12-31")


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
