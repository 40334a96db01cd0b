"""Purchases worth asking about, and how customers speak of products without their names."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from random import Random

from worksmith.evals.kinds.crm.questions.org_records import OrgRecords, Purchase
from worksmith.evals.kinds.crm.questions.wording import wording
from worksmith.tools.kinds.crm.generate.entities import Product
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.sosl.tables import singular, words

_SAME = 1e-9


@dataclass(frozen=True)
class SoftName:
    """A way to speak of a kind of product.

    Attributes:
        search: the words by which a text search finds the products of the kind.
    """

    kind: str
    text: str
    search: tuple[str, ...]


@cache
def soft_names(industry: Industry) -> Mapping[str, SoftName]:
    """All of them by text in small letters: those of the products' descriptions, and freer ones."""
    found = {}
    for category in industry.data.categories:
        for kind, *said, _feature in category.kinds:
            for text in said:
                found[text.lower()] = SoftName(kind, text, tuple(_content(text)))
    for kind, phrases in industry.data.recalled.items():
        for text, search in phrases:
            found[text.lower()] = SoftName(kind, text, tuple(search.split()))
    return found


@cache
def soft_names_of(kind: str, industry: Industry) -> tuple[SoftName, ...]:
    return tuple(each for each in soft_names(industry).values() if each.kind == kind)


@dataclass(frozen=True)
class Mention:
    """A product as somebody speaks of it; `color` may be empty."""

    soft: SoftName
    color: str = ""

    @property
    def text(self) -> str:
        return f"{self.color} {self.soft.text}".strip()

    @property
    def search(self) -> tuple[str, ...]:
        return (*self.soft.search, *self.color.split())


def read_mention(text: str, industry: Industry) -> Mention | None:
    """What a question speaks of; None if of nothing known, or of several things."""
    found = list(_spoken(industry).finditer(text))
    if len(found) != 1:
        return None
    return Mention(soft_names(industry)[found[0]["soft"].lower()], (found[0]["color"] or "").lower())


def has_words(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether a text has all of the words, in the singular or plural."""
    return {singular(word.lower()) for word in wanted} <= _words(text)


def meant(mention: str, products: Mapping[str, str], industry: Industry) -> set[str]:
    """Which products are meant best, by their texts: those that share the rarest words of the mention.

    Args:
        mention: as it stands in a question.
        products: by id name and description, of all that may be meant.
        industry: of the company that sells them; has synonyms.
    """
    known = {product: _words(text) for product, text in products.items()}
    often = Counter(word for said in known.values() for word in said)
    wanted = [_alternatives(word, industry) for word in _content(mention)]
    weights = [
        math.log(1 + len(known) / max(1, sum(often[word] for word in alternatives)))
        for alternatives in wanted
    ]
    scores = {
        product: sum(
            weight for weight, alternatives in zip(weights, wanted, strict=True) if alternatives & said
        )
        for product, said in known.items()
    }
    best = max(scores.values(), default=0.0)
    if not best:
        return set()
    return {product for product, score in scores.items() if score > best - _SAME}


@cache
def _spoken(industry: Industry) -> re.Pattern[str]:
    """Any of the names, the longest that fits, with its color."""
    longest_first = sorted(soft_names(industry), key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    colors = "|".join(industry.data.colors)
    return re.compile(rf"(?:\b(?P<color>{colors}) )?\b(?P<soft>{names})\b", re.IGNORECASE)


def _alternatives(word: str, industry: Industry) -> set[str]:
    """A word and its synonyms, in the singular."""
    return {singular(each) for each in (word, *industry.data.synonyms.get(word, ()))}


def _content(text: str) -> list[str]:
    return [
        word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in wording("soft_names")["small"]
    ]


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


_DRAFTS, _EMPTY = 0.1, 0.3
"""Shares of the draws that are drafts, and of the others that are told to be of a wrong day."""

_OFF, _NEAREST = 0.35, 0.5
"""Of wrong days, the share of those a day or two off, and of the others that of the nearest one."""

_NEAR = timedelta(days=2)
_PLAIN, _RIVAL, _CLOSE = 0.2, 0.6, 1.0
"""How readily purchases are asked for: alone, with a rival on some day, with a rival that is nearly right."""


class Shop:
    """Who bought what, for looking up.

    Attributes:
        bought: purchases, drafts too, by account.
        texts: name and description of products by id.
    """

    def __init__(self, org: OrgRecords) -> None:
        self.product: dict[str, Product] = {each.id: each for each in org.built.products}
        self.contact = {account: contact for contact, account in org.account_of.items()}
        self.texts = {
            str(row["Id"]): f"{row['Name']}. {row['Description']}" for row in org.built.records("Product2")
        }
        self.bought: dict[str, list[Purchase]] = defaultdict(list)
        for purchase in org.purchases:
            self.bought[purchase.account].append(purchase)
        self._purchases = org.purchases
        self._drafts = [purchase for purchase in org.purchases if not purchase.activated]

    def is_meant(self, product: str, mention: Mention) -> bool:
        """Whether a product is of the kind and color that somebody speaks of."""
        known = self.product[product]
        return known.kind == mention.soft.kind and mention.color in ("", known.color)

    def draw(self, random: Random) -> tuple[Purchase, date] | None:
        """A purchase and the day on which it is said to have been made; None if it is not worth asking.

        Some days are wrong: one or two off, of another purchase of the account, or that of a draft.
        """
        if random.random() < _DRAFTS:
            draft = random.choice(self._drafts)
            return draft, draft.day
        purchase = random.choice(self._purchases)
        if random.random() < _EMPTY:
            return purchase, self._wrong_day(purchase, random)
        if not purchase.activated or random.random() > self._worth(purchase):
            return None
        return purchase, purchase.day

    def _wrong_day(self, purchase: Purchase, random: Random) -> date:
        """A day or two off, or, more often, a day on which the account did buy something."""
        days = {each.day for each in self.bought[purchase.account] if each.activated} - {purchase.day}
        if random.random() < _OFF or not days:
            return purchase.day + timedelta(days=random.choice((-2, -1, 1, 2)))
        nearest = min(days, key=lambda day: (abs(day - purchase.day), day))
        return nearest if random.random() < _NEAREST else random.choice(sorted(days))

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


@lru_cache(maxsize=2)
def shop(org: OrgRecords) -> Shop:
    return Shop(org)
