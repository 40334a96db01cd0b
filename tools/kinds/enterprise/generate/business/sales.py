"""The sales of a generated enterprise: who bought what, when, from whom, at what price."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta

from worksmith.tools.generating.apportion import degrees
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Customer, Employee, Product, Sale

FIRST_DAY = date(2013, 1, 7)
"""Of selling; earlier the company had no staff."""

_PRODUCT_RANGE = (3, 60)
_CUSTOMER_RANGE = (5, 120)
_SELLER_RANGE = (60, 600)
_DENSEST = 0.7
_SELLERS = 0.6
_QUANTITIES = ((1, 2, 3, 4, 5, 6, 10, 12, 20), (50, 18, 8, 5, 4, 3, 2, 1, 0.5))
_REDUCTIONS = ((0, 3, 5, 8, 10, 15), (70, 6, 9, 5, 7, 3))
"""Percent off the current price: festivals, bulk, loyalty."""

_LAST_DAYS = 3


def add_sales(draft: Draft) -> None:
    """Purchases of different pairs of product and customer, by day; some sell much, most little."""
    numbers = draft.rng("sales")
    pairs = _pairs(numbers, draft)
    sellers = _sellers(numbers, draft, len(pairs))
    sales = [
        _sale(numbers, product, customer, seller, draft.today)
        for (product, customer), seller in zip(pairs, sellers, strict=True)
    ]
    sales.sort(key=lambda sale: (sale.day, sale.product.product_id, sale.customer.customer_id))
    for number, sale in enumerate(sales, start=1):
        numbered = replace(sale, sales_record_id=f"SAL-{number:05d}")
        draft.sales.append(numbered)
        _add(draft, numbered)


def _pairs(numbers: random.Random, draft: Draft) -> list[tuple[Product, Customer]]:
    """As many pairs as sales, all different, so that a sale is known by its product and customer."""
    total, products, customers = draft.counts.sales, draft.products, draft.customers
    per_product = _degrees(numbers, total, len(products), _PRODUCT_RANGE, len(customers))
    per_customer = _degrees(numbers, total, len(customers), _CUSTOMER_RANGE, len(products))
    left = [place for place, degree in enumerate(per_product) for _ in range(degree)]
    right = [place for place, degree in enumerate(per_customer) for _ in range(degree)]
    numbers.shuffle(right)
    pairs = _without_repeats(numbers, list(zip(left, right, strict=True)))
    return [(products[product], customers[customer]) for product, customer in pairs]


def _degrees(
    numbers: random.Random, total: int, count: int, span: tuple[int, int], partners: int
) -> list[int]:
    """Degrees in `span`; in a small world no partner pairs with nearly all, else pairs would repeat."""
    least, most = span
    return degrees(numbers, total, count, least, min(most, round(_DENSEST * partners)))


def _without_repeats(numbers: random.Random, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same pairs with partners swapped until all differ; degrees stay.

    Each swap must help and harm nothing. If chance finds no way, the world is too dense, and a repeat stays.
    """
    seen: dict[tuple[int, int], int] = {}
    for pair in pairs:
        seen[pair] = seen.get(pair, 0) + 1
    for place, (left, right) in enumerate(pairs):
        if seen[left, right] < 2:
            continue
        for _ in range(1000):
            other = numbers.randrange(len(pairs))
            far_left, far_right = pairs[other]
            if (left, far_right) in seen or (far_left, right) in seen:
                continue
            for old in ((left, right), (far_left, far_right)):
                seen[old] -= 1
                if not seen[old]:
                    del seen[old]
            pairs[place], pairs[other] = (left, far_right), (far_left, right)
            seen[left, far_right] = seen[far_left, right] = 1
            break
    return pairs


def _sellers(numbers: random.Random, draft: Draft, total: int) -> list[Employee]:
    """A seller for each sale: associates and leads of Sales, those longest employed most."""
    staff = [e for e in draft.people.in_department("SA") if e.level in ("09", "10")]
    staff = [e for e in staff if _span(e, draft.today)[1] > _span(e, draft.today)[0]]
    staff.sort(key=lambda e: (_span(e, draft.today)[0] - _span(e, draft.today)[1], e.emp_id))
    staff = staff[: max(2, round(_SELLERS * len(staff)))]
    counts = sorted(degrees(numbers, total, len(staff), *_SELLER_RANGE), reverse=True)
    found = [e for e, count in zip(staff, counts, strict=True) for _ in range(count)]
    numbers.shuffle(found)
    return found


def _span(employee: Employee, today: date) -> tuple[date, date]:
    """The days on which an employee can have sold."""
    last = employee.dol or today - timedelta(days=_LAST_DAYS)
    return max(FIRST_DAY, employee.doj + timedelta(days=14)), last


def _sale(
    numbers: random.Random, product: Product, customer: Customer, seller: Employee, today: date
) -> Sale:
    first, last = _span(seller, today)
    late = numbers.random() ** 0.6  # business grew, so that late days are likelier
    reduction = numbers.choices(*_REDUCTIONS)[0]
    return Sale(
        sales_record_id="",
        product=product,
        customer=customer,
        emp_id=seller.emp_id,
        quantity=numbers.choices(*_QUANTITIES)[0],
        price=product.price if reduction == 0 else round(product.price * (100 - reduction) / 100),
        list_price=product.list_price,
        day=first + timedelta(days=round((last - first).days * late)),
    )


def _add(draft: Draft, sale: Sale) -> None:
    draft.add(
        "sales",
        sales_record_id=sale.sales_record_id,
        product_id=sale.product.product_id,
        customer_id=sale.customer.customer_id,
        emp_id=sale.emp_id,
        quantity=sale.quantity,
        discounted_price=sale.price,
        actual_price=sale.list_price,
        discount_percentage=sale.discount,
        date_of_purchase=sale.day,
    )
