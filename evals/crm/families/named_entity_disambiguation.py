"""Which product does a customer mean who does not remember its name, but when they bought it?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from random import Random

from dateutil.relativedelta import relativedelta

from evals.crm.books import Books, Purchase
from evals.crm.family import Doubt, Family, Mode, Question, Truth, Values
from evals.crm.numbers import NUMBER, read_number, write_number
from evals.crm.periods import Period, months_later
from evals.crm.script import Script
from evals.crm.soft_names import Mention, has_words, meant, read_mention, soft_names_of
from evals.crm.wording import phrased, said, wording
from evals.task import Entity
from tools.crm.generate.entities import Product

_NAME = "named_entity_disambiguation"
_COLORED = 0.35
_EMPTY = 0.3
_LAST = "last "
_NEAR = timedelta(days=2)
_PLAIN, _RIVAL, _CLOSE = 0.2, 0.6, 1.0
"""How readily purchases are asked for: alone, with a rival on some day, with a rival that is nearly right."""


@dataclass(frozen=True)
class NamedEntityDisambiguation:
    """See `Family`. Strata are periods, with `last` before those that questions say so."""

    name: str = _NAME
    code: str = "ned"
    persona: str = "service_agent"
    worded: frozenset[str] = frozenset({"mention", "period"})

    def context(self, mode: Mode) -> str:
        """See `Family`."""
        return said(_NAME, "context", mode)

    def answer_format(self, mode: Mode) -> str:
        """See `Family`."""
        return said(_NAME, "answer", mode)

    def nones(self, mode: Mode) -> float:
        """See `Family`."""
        return 0.3

    def strata(self, mode: Mode) -> Mapping[str, float]:
        """See `Family`."""
        strata: Mapping[str, float] = wording(_NAME)["strata"][mode]
        return strata

    def candidates(
        self, books: Books, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        """See `Family`."""
        period = Period.of(stratum.removeprefix(_LAST))
        shop = _shop(books)
        while True:
            drawn = shop.draw(random)
            if drawn is None:
                continue
            purchase, day = drawn
            today = _later(period, day)
            if today is None or today > books.snapshot:
                yield Doubt("no day on which to ask")
                continue
            product = shop.product[purchase.product]
            color = product.color if random.random() < _COLORED else ""
            mention = Mention(random.choice(soft_names_of(product.kind)), color)
            contact = shop.contact[purchase.account]
            slots = {
                "contact": contact,
                "mention": mention.text,
                "period": period.text,
                "today": today.isoformat(),
            }
            question = Question(slots, today, None, stratum, shown={"Contact Id": contact})
            truth = _doubt(books, question) or self.truth(books, mode, question)
            yield truth if isinstance(truth, Doubt) else replace(question, answer=truth)

    def truth(self, books: Books, mode: Mode, question: Question) -> Truth:
        """See `Family`."""
        shop, mention = _shop(books), _mention(question)
        found = {each for each in _bought_then(books, question) if shop.is_meant(each, mention)}
        if len(found) > 1:
            return Doubt("several such products were bought that day")
        return tuple(Entity(type="product_id", value=each) for each in found) or None

    def phrase(self, question: Question, random: Random) -> str:
        """See `Family`."""
        forms = wording(_NAME)["ago"].get(question.stratum)
        period = Period.of(question.slots["period"])
        ago = random.choice(forms) if forms else f"{write_number(period.count, random)} {period.unit}s ago"
        return phrased(_NAME, {}, random, what=question.slots["mention"], ago=ago)

    def parse(self, text: str) -> Mapping[str, str] | None:
        """See `Family`."""
        mention, period = read_mention(text), _read_ago(text)
        if mention is None or period is None:
            return None
        return {"mention": mention.text, "period": period.text}

    def solve(self, script: Script, question: Question) -> Values:
        """See `Family`."""
        period = Period.of(question.slots["period"])
        account = script.call(
            "functions.get_account_id_by_contact_id",
            "Purchases belong to the contact's account.",
            contact_id=question.slots["contact"],
        )
        day = script.call(
            "functions.get_start_date",
            "The day of the purchase is counted back from today.",
            end_date=f"{question.today}T00:00:00Z",
            period=period.unit,
            interval_count=period.count,
        )
        products = script.call(
            "functions.search_products",
            "The contact describes the product, so I search for the words that tell most.",
            search_term=" ".join(_mention(question).search),
        )
        found = script.call(
            "functions.get_purchase_history",
            "Which of these products the account bought on that day.",
            account_id=account,
            purchase_date=day,
            related_product_ids=products,
        )
        return tuple(dict.fromkeys(row["Product2Id"] for row in found)) or None

    def solve_by_queries(self, script: Script, question: Question) -> Values:
        """See `Family`."""
        contact = script.soql(
            "Purchases belong to the contact's account.",
            f"SELECT AccountId FROM Contact WHERE Id = '{question.slots['contact']}'",
        )
        rows = script.soql(
            "All that the account ordered, with what the products are like.",
            f"""SELECT Product2Id, Product2.Name, Product2.Description, Order.EffectiveDate, Order.Status
                FROM OrderItem WHERE Order.AccountId = '{contact[0]["AccountId"].value}'
                ORDER BY Order.EffectiveDate DESC""",
            after=[contact],
        )
        texts = {
            row["Product2Id"]: f"{row['Product2']['Name']}. {row['Product2']['Description']}" for row in rows
        }
        likely = meant(question.slots["mention"], texts)
        period = Period.of(question.slots["period"])
        order = {"Status": "Activated", "EffectiveDate": _back(period, question.today).isoformat()}
        found = [
            row["Product2Id"]
            for row in rows
            if row["Product2Id"] in likely and all(row["Order"][key] == value for key, value in order.items())
        ]
        return tuple(dict.fromkeys(found)) or None


class _Shop:
    """Who bought what, for looking up.

    Attributes:
        bought: purchases, drafts too, by account.
        texts: name and description of products by id.
    """

    def __init__(self, books: Books) -> None:
        self.product: dict[str, Product] = {each.id: each for each in books.built.products}
        self.contact = {account: contact for contact, account in books.account_of.items()}
        self.texts = {
            str(row["Id"]): f"{row['Name']}. {row['Description']}" for row in books.built.records("Product2")
        }
        self.bought: dict[str, list[Purchase]] = defaultdict(list)
        for purchase in books.purchases:
            self.bought[purchase.account].append(purchase)
        self._purchases = books.purchases
        self._drafts = [purchase for purchase in books.purchases if not purchase.activated]

    def is_meant(self, product: str, mention: Mention) -> bool:
        """Whether a product is of the kind and color that somebody speaks of."""
        known = self.product[product]
        return known.kind == mention.soft.kind and mention.color in ("", known.color)

    def draw(self, random: Random) -> tuple[Purchase, date] | None:
        """A purchase and the day on which it is said to have been made; None if it is not worth asking.

        Some days are wrong: one or two off, of another purchase of the account, or that of a draft.
        """
        if random.random() < _EMPTY / 3:
            draft = random.choice(self._drafts)
            return draft, draft.day
        purchase = random.choice(self._purchases)
        days = {each.day for each in self.bought[purchase.account] if each.activated} - {purchase.day}
        if random.random() < _EMPTY:
            if random.random() < 0.5 or not days:
                return purchase, purchase.day + random.choice((-2, -1, 1, 2)) * timedelta(days=1)
            return purchase, random.choice(sorted(days))
        if not purchase.activated or random.random() > self._worth(purchase):
            return None
        return purchase, purchase.day

    def _worth(self, purchase: Purchase) -> float:
        """How readily to ask for a purchase: the more others are nearly right, the more."""
        kind = self.product[purchase.product].kind
        rivals = [
            each
            for each in self.bought[purchase.account]
            if self.product[each.product].kind == kind and each.product != purchase.product
        ]
        if any(not each.activated or abs(each.day - purchase.day) <= _NEAR for each in rivals):
            return _CLOSE
        return _RIVAL if rivals else _PLAIN


def _mention(question: Question) -> Mention:
    mention = read_mention(question.slots["mention"])
    assert mention is not None, "questions are made of known names"
    return mention


def _bought(books: Books, question: Question) -> list[Purchase]:
    """All that the contact ordered, drafts too."""
    return _shop(books).bought[books.account_of[question.slots["contact"]]]


def _bought_then(books: Books, question: Question) -> set[str]:
    """The products that the contact bought on the day that is asked about."""
    day = Period.of(question.slots["period"]).back(question.today)
    return {each.product for each in _bought(books, question) if each.activated and each.day == day}


def _doubt(books: Books, question: Question) -> Doubt | None:
    """Why not to ask: what is meant cannot be told from all that was ordered, or not found by words."""
    shop, mention = _shop(books), _mention(question)
    texts = {each.product: shop.texts[each.product] for each in _bought(books, question)}
    wanted = {product for product in texts if shop.is_meant(product, mention)}
    if meant(mention.text, texts) != wanted:
        return Doubt("other purchases fit its words as well")
    then = _bought_then(books, question)
    if {each for each in then if has_words(texts[each], mention.search)} != then & wanted:
        return Doubt("a search finds something else that was bought that day")
    if not then & wanted and any(shop.is_meant(each, Mention(mention.soft)) for each in then):
        return Doubt("the same in another color was bought that day")
    return None


@lru_cache(maxsize=2)
def _shop(books: Books) -> _Shop:
    return _Shop(books)


def _later(period: Period, day: date) -> date | None:
    """The day from which `day` is a period ago; None if there is none."""
    months = period.count * {"month": 1, "quarter": 3, "year": 12}.get(period.unit, 0)
    today = months_later(day, months) if months else day + (day - period.back(day))
    return today if period.back(today) == day else None


def _back(period: Period, today: date) -> date:
    """The first day of a period, by another calendar than that of `Period`."""
    shift: dict[str, int] = {f"{period.unit}s": period.count}
    return today - relativedelta(**shift)  # type: ignore[arg-type]


_AGO = re.compile(
    rf"\b(?:(a|{NUMBER})\s+(day|week|month)s?|a\s+(fortnight))\s+ago\b|\blast\s+(week|month)\b", re.I
)


def _read_ago(text: str) -> Period | None:
    """The only time that a text says to have passed."""
    found = set()
    for match in _AGO.finditer(text):
        count, unit, fortnight, last = match.groups()
        if last or fortnight:
            found.add(Period(count=1 if last else 2, unit=last.lower() if last else "week"))
        else:
            found.add(Period(count=1 if count.lower() == "a" else read_number(count), unit=unit.lower()))
    return found.pop() if len(found) == 1 else None


FAMILY: Family = NamedEntityDisambiguation()
