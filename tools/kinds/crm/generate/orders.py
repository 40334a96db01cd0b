"""What customers bought, and when."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from itertools import accumulate

from worksmith.tools.kinds.crm.generate.company import SHORT_YEAR
from worksmith.tools.kinds.crm.generate.draft import Draft, written_cents
from worksmith.tools.kinds.crm.generate.entities import Customer, Item, Order, Product
from worksmith.tools.kinds.crm.generate.products import book_of
from worksmith.tools.kinds.crm.generate.wording import texts

_DRAFTS = 0.05
_BURST = 4
_EVENT_EXPONENT = 0.5
"""Events were drawn by weight into a customer's habits already; the full weight would count twice."""


def add_orders(draft: Draft) -> None:
    """Orders by the customers' habits, and their items by category, popularity and burst of products."""
    numbers = draft.rng("orders")
    activity = list(accumulate(customer.activity for customer in draft.customers))
    places = {customer.account: place for place, customer in enumerate(draft.customers)}
    drafts = set(numbers.sample(range(draft.counts.orders), round(draft.counts.orders * _DRAFTS)))
    for number in range(draft.counts.orders):
        customer = numbers.choices(draft.customers, cum_weights=activity)[0]
        day, event = _day(numbers, customer)
        order = Order(
            number=number,
            id=draft.id("Order"),
            customer=customer,
            day=day,
            event=event,
            activated=number not in drafts,
            book=book_of(places[customer.account], day, numbers.random()),
        )
        draft.orders.append(order)
    draft.orders.sort(key=lambda order: (order.day, order.number))
    for place, order in enumerate(draft.orders, 1):
        draft.add(
            "Order",
            Id=order.id,
            OrderNumber=f"{place:08d}",
            AccountId=order.customer.account,
            Status="Activated" if order.activated else "Draft",
            EffectiveDate=order.day,
            Pricebook2Id=draft.books[order.book],
        )
    _add_items(draft)


def _day(numbers: random.Random, customer: Customer) -> tuple[date, int]:
    """A day of one of the customer's shopping events, and which event that is."""
    words = texts("company")
    year = int(numbers.choices(list(words["years"]), list(words["years"].values()))[0])
    weights = [words["events"][place]["weight"] ** _EVENT_EXPONENT for place in customer.events]
    event = numbers.choices(customer.events, weights)[0]
    if year == SHORT_YEAR:
        event %= 3
    month, day = words["events"][event]["start"]
    return date(year, month, day) + timedelta(days=numbers.randrange(words["events"][event]["days"])), event


def _add_items(draft: Draft) -> None:
    numbers = draft.rng("order items")
    shelves = _Shelves(draft.products)
    extra = [0] * len(draft.orders)
    for _ in range(draft.counts.order_items - len(draft.orders)):
        extra[numbers.randrange(len(draft.orders))] += 1
    for place, order in enumerate(draft.orders):
        got: set[str] = set()
        category = numbers.choice(order.customer.categories)
        for _ in range(1 + extra[place]):
            product = shelves.take(numbers, category, order.event)
            while product.id in got and len(got) < len(draft.products):
                product = shelves.any(numbers)
            got.add(product.id)
            _add_item(draft, numbers, order, product)


def _add_item(draft: Draft, numbers: random.Random, order: Order, product: Product) -> None:
    item = Item(draft.id("OrderItem"), order, product)
    entry, cents = draft.entries[order.book][product.id]
    quantity = numbers.choices((1, 2, 3), (0.8, 0.15, 0.05))[0]
    draft.add(
        "OrderItem",
        Id=item.id,
        OrderItemNumber=f"{len(draft.items) + 1:010d}",
        OrderId=order.id,
        Product2Id=product.id,
        PricebookEntryId=entry,
        Quantity=f"{quantity}.0",
        UnitPrice=written_cents(cents),
        TotalPrice=written_cents(quantity * cents),
    )
    draft.items.append(item)


class _Shelves:
    """Products by category, each to be drawn by how much it is wanted at an event."""

    def __init__(self, products: list[Product]) -> None:
        self._all = products
        self._popularity = list(accumulate(product.popularity for product in products))
        self._by_category: dict[int, list[Product]] = defaultdict(list)
        for product in products:
            for category in product.categories:
                self._by_category[category].append(product)
        self._wanted: dict[tuple[int, int], list[float]] = {}

    def take(self, numbers: random.Random, category: int, event: int) -> Product:
        """One of a category, preferably one that is bought at this event."""
        pool = self._by_category[category]
        if (category, event) not in self._wanted:
            weights = (p.popularity * (_BURST if p.burst == event else 1) for p in pool)
            self._wanted[category, event] = list(accumulate(weights))
        return numbers.choices(pool, cum_weights=self._wanted[category, event])[0]

    def any(self, numbers: random.Random) -> Product:
        return numbers.choices(self._all, cum_weights=self._popularity)[0]
