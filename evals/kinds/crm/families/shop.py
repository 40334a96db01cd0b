"""Who bought what, and which purchases are worth asking about."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from functools import lru_cache
from random import Random

from evals.kinds.crm.families.soft_names import Mention
from evals.kinds.crm.questions.books import Books, Purchase
from tools.kinds.crm.generate.entities import Product

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
def shop(books: Books) -> Shop:
    return Shop(books)
