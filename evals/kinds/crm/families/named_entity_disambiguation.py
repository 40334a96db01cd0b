"""Which product does a customer mean who does not remember its name, but when they bought it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from random import Random

from worksmith.evals.kinds.crm.families.shop import (
    Mention,
    has_words,
    meant,
    read_mention,
    shop,
    soft_names_of,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords, Purchase
from worksmith.evals.kinds.crm.questions.periods import (
    Period,
    write_number,
)
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder
from worksmith.evals.kinds.crm.questions.wording import phrased, wording
from worksmith.evals.kinds.crm.reading.recognise import recognise
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.generate.industry import Industry

_NAME = "named_entity_disambiguation"
_COLORED = 0.35
_LAST = "last "


class NamedEntityDisambiguation(Family):
    """See `Family`. Strata are periods, with `last` before those that questions say so."""

    def nones(self, mode: Mode) -> float:
        return 0.3

    def strata(self, mode: Mode) -> Mapping[str, float]:
        strata: Mapping[str, float] = wording(_NAME)["strata"][mode]
        return strata

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        period = Period.of(stratum.removeprefix(_LAST))
        known = shop(org)
        while True:
            drawn = known.draw(random)
            if drawn is None:
                continue
            purchase, day = drawn
            today = _later(period, day)
            if today is None or today > org.snapshot:
                yield Doubt("no day on which to ask")
                continue
            product = known.product[purchase.product]
            color = product.color if random.random() < _COLORED else ""
            mention = Mention(random.choice(soft_names_of(product.kind, self.industry)), color)
            contact = known.contact[purchase.account]
            slots = {
                "contact": contact,
                "mention": mention.text,
                "period": period.text,
                "today": today.isoformat(),
            }
            question = Question(slots, today, None, stratum, shown={"Contact Id": contact})
            truth = _doubt(org, question) or self.truth(org, mode, question)
            yield truth if isinstance(truth, Doubt) else replace(question, answer=truth)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        known, mention = shop(org), _mention(question, org.built.industry)
        found = {each for each in _bought_then(org, question) if known.is_meant(each, mention)}
        if len(found) > 1:
            return Doubt("several such products were bought that day")
        return tuple(Entity(type="product_id", value=each) for each in found) or None

    def phrase(self, question: Question, random: Random) -> str:
        forms = wording(_NAME)["ago"].get(question.stratum)
        period = Period.of(question.slots["period"])
        ago = random.choice(forms) if forms else f"{write_number(period.count, random)} {period.unit}s ago"
        return phrased(_NAME, {}, random, what=question.slots["mention"], ago=ago)

    def parse(self, text: str) -> Mapping[str, str] | None:
        mention, period = read_mention(text, self.industry), recognise(text, _NAME).slots.get("period")
        return {"mention": mention.text, "period": period} if mention and period else None

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        period = Period.of(question.slots["period"])
        account = recorder.call(
            "functions.get_account_id_by_contact_id",
            "Purchases belong to the contact's account.",
            contact_id=question.slots["contact"],
        )
        day = recorder.call(
            "functions.get_start_date",
            "The day of the purchase is counted back from today.",
            end_date=f"{question.today}T00:00:00Z",
            period=period.unit,
            interval_count=period.count,
        )
        products = recorder.call(
            "functions.search_products",
            "The contact describes the product, so I search for the words that tell most.",
            search_term=" ".join(_mention(question, self.industry).search),
        )
        found = recorder.call(
            "functions.get_purchase_history",
            "Which of these products the account bought on that day.",
            account_id=account,
            purchase_date=day,
            related_product_ids=products,
        )
        return tuple(dict.fromkeys(row["Product2Id"] for row in found)) or None

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        contact = recorder.soql(
            "Purchases belong to the contact's account.",
            f"SELECT AccountId FROM Contact WHERE Id = '{question.slots['contact']}'",
        )
        rows = recorder.soql(
            "All that the account ordered, with what the products are like.",
            f"""SELECT Product2Id, Product2.Name, Product2.Description, Order.EffectiveDate, Order.Status
                FROM OrderItem WHERE Order.AccountId = '{contact[0]["AccountId"].value}'
                ORDER BY Order.EffectiveDate DESC""",
            after=[contact],
        )
        texts = {
            row["Product2Id"]: f"{row['Product2']['Name']}. {row['Product2']['Description']}" for row in rows
        }
        likely = meant(question.slots["mention"], texts, self.industry)
        period = Period.of(question.slots["period"])
        order = {"Status": "Activated", "EffectiveDate": period.back(question.today).isoformat()}
        found = [
            row["Product2Id"]
            for row in rows
            if row["Product2Id"] in likely and all(row["Order"][key] == value for key, value in order.items())
        ]
        return tuple(dict.fromkeys(found)) or None


def _mention(question: Question, industry: Industry) -> Mention:
    mention = read_mention(question.slots["mention"], industry)
    assert mention is not None, "questions are made of known names"
    return mention


def _bought(org: OrgRecords, question: Question) -> list[Purchase]:
    """All that the contact ordered, drafts too."""
    return shop(org).bought[org.account_of[question.slots["contact"]]]


def _bought_then(org: OrgRecords, question: Question) -> set[str]:
    day = Period.of(question.slots["period"]).back(question.today)
    return {each.product for each in _bought(org, question) if each.activated and each.day == day}


def _doubt(org: OrgRecords, question: Question) -> Doubt | None:
    """Why not to ask: what is meant cannot be told from all that was ordered, or not found by words."""
    known, mention = shop(org), _mention(question, org.built.industry)
    texts = {each.product: known.texts[each.product] for each in _bought(org, question)}
    wanted = {product for product in texts if known.is_meant(product, mention)}
    if meant(mention.text, texts, org.built.industry) != wanted:
        return Doubt("other purchases fit its words as well")
    then = _bought_then(org, question)
    if {each for each in then if has_words(texts[each], mention.search)} != then & wanted:
        return Doubt("a search finds something else that was bought that day")
    if not then & wanted and any(known.is_meant(each, Mention(mention.soft)) for each in then):
        return Doubt("the same in another color was bought that day")
    return None


def _later(period: Period, day: date) -> date | None:
    """The day from which `day` is a period ago; None without one."""
    today = day + period.length
    return today if period.back(today) == day else None


FAMILY: Family = NamedEntityDisambiguation(_NAME, "ned", "service_agent", frozenset({"mention", "period"}))
