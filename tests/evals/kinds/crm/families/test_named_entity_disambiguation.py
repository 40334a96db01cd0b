"""Purchases by day and description: what counts as one, and how days are told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from random import Random

import pytest

from tests.evals.kinds.crm.families.orgs import small_org
from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import place_of, small, spoiled
from worksmith.evals.kinds.crm.families.named_entity_disambiguation import FAMILY
from worksmith.evals.kinds.crm.families.shop import read_mention
from worksmith.evals.kinds.crm.questions.family import Doubt, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords, Purchase
from worksmith.tools.kinds.crm.generate.industry import packaged


def draws(stratum: str, count: int = 150) -> list[Question]:
    found = islice(FAMILY.candidates(small_org(), "clean", stratum, Random(2)), count)
    return [each for each in found if not isinstance(each, Doubt)]


def bought(question: Question) -> list[Purchase]:
    """All that the contact ordered of the kind and color that is meant."""
    mention = read_mention(question.slots["mention"], packaged())
    assert mention is not None
    account = small_org().account_of[question.slots["contact"]]
    kinds = {p.id: (p.kind, p.color) for p in small().products}
    return [
        each
        for each in small_org().purchases
        if each.account == account
        and kinds[each.product][0] == mention.soft.kind
        and mention.color in ("", kinds[each.product][1])
    ]


def _alone_of_its_kind(purchase: Purchase) -> bool:
    """Whether nothing else of its kind is in its order."""
    kinds = {product.id: product.kind for product in small().products}
    together = [kinds[each.product] for each in small_org().purchases if each.order == purchase.order]
    return together.count(kinds[purchase.product]) == 1


def test_answers_were_bought_on_that_very_day_and_nones_were_nearly() -> None:
    near = Counter[str]()
    for question in draws("14 days"):
        day = question.today - timedelta(days=14)
        exact = {each.product for each in bought(question) if each.activated and each.day == day}
        assert exact == {entity.value for entity in question.answer or ()}
        if question.answer is None:
            assert bought(question), "without any such purchase it would be too easy"
            near["draft"] += any(each.day == day for each in bought(question))
            near["a day or two"] += any(1 <= abs((each.day - day).days) <= 2 for each in bought(question))
        else:
            near["rival"] += len({each.product for each in bought(question)}) > 1
    assert min(near.values()) > 3, near
    assert len(near) == 3


@pytest.mark.parametrize(
    ("stratum", "today", "day"),
    [
        ("3 days", date(2021, 1, 2), date(2020, 12, 30)),
        ("1 weeks", date(2021, 1, 2), date(2020, 12, 26)),
        ("2 weeks", date(2021, 3, 8), date(2021, 2, 22)),
        ("1 months", date(2021, 3, 28), date(2021, 2, 28)),
    ],
)
def test_questions_are_asked_a_period_later(stratum: str, today: date, day: date) -> None:
    purchase = next(each for each in small_org().purchases if each.activated and _alone_of_its_kind(each))
    order = place_of(small(), "Order", Id=purchase.order)
    org = OrgRecords(spoiled(small(), "Order", order, EffectiveDate=day.isoformat()))
    contact = next(c for c, account in org.account_of.items() if account == purchase.account)
    product = next(each for each in small().products if each.id == purchase.product)
    slots = {
        "contact": contact,
        "mention": product.soft[0].lower(),
        "period": stratum,
        "today": today.isoformat(),
    }
    truth = FAMILY.truth(org, "clean", Question(slots, today, None, stratum))
    assert not isinstance(truth, Doubt)
    assert [entity.value for entity in truth or ()] == [purchase.product]
    later = Question(slots, today + timedelta(days=5), None, stratum)
    assert FAMILY.truth(org, "clean", later) is None


def test_a_draft_is_no_purchase() -> None:
    question = next(each for each in draws("5 days") if each.answer)
    day = (question.today - timedelta(days=5)).isoformat()
    account = small_org().account_of[question.slots["contact"]]
    built = small()
    for place, row in enumerate(small().records("Order")):
        if (row["AccountId"], row["EffectiveDate"]) == (account, day):
            built = spoiled(built, "Order", place, Status="Draft")
    assert FAMILY.truth(OrgRecords(built), "clean", question) is None


@pytest.mark.parametrize("mode", ["clean", "faithful"])
def test_only_the_published_way_says_last_week(mode: str) -> None:
    strata = FAMILY.strata(mode)  # type: ignore[arg-type]
    asked = {
        FAMILY.phrase(replace(question, stratum=stratum), Random(number))
        for stratum in strata
        for question in draws(stratum.removeprefix("last "), 8)
        for number in range(4)
    }
    assert any("last week" in text or "Last week" in text for text in asked) == (mode == "faithful")


@each_row(
    ("said", "period"),
    [
        ("five days ago", "5 days"),
        ("14 days ago", "14 days"),
        ("a week ago", "1 weeks"),
        ("exactly one month ago", "1 months"),
        ("a fortnight ago", "2 weeks"),
        ("last month", "1 months"),
        ("3 days ago, or was it 5 days ago", None),
        ("some time ago", None),
    ],
)
def test_days_are_read_however_they_are_told(said: str, period: str | None) -> None:
    read = FAMILY.parse(f"Show me the pool eyewear that I bought {said}.")
    assert read == (None if period is None else {"mention": "pool eyewear", "period": period})
