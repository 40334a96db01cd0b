"""The reviews of a generated enterprise: what customers think of what they bought."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import cache

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Product, Sale
from tools.kinds.enterprise.generate.grammar import MONTHS, grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.wording import pick, texts, with_article

_WORDS = grammar("sentiments")
_POLARITIES = {1: ("negative", "strong"), 2: ("negative", "mild"), 3: ("neutral", "none")} | {
    4: ("positive", "mild"),
    5: ("positive", "strong"),
}
"""What so many stars mean."""

_VALUES = {"positive": "1", "neutral": "0", "negative": "-1"}
_PHRASES = {"positive": "good", "neutral": "meh", "negative": "bad"}
_UNREVIEWED = 0.08
_LONGEST_WAIT = 70
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def add_sentiments(draft: Draft) -> None:
    """Reviews after the purchases. Most sales have one, a few none, a few a second one on another part.

    The truths of a review: polarity (-1, 0, 1), severity (mild, strong; none if neutral), aspect, stars and
    whether it is a follow-up. For one customer, product and aspect there is one review.
    """
    numbers = draft.rng("sentiments")
    reviews = []
    for sale, follow_up in _reviewed(numbers, draft):
        first = sale.day + timedelta(days=1)
        wait = min(_LONGEST_WAIT, (draft.today - first).days) - (1 if not follow_up else 0)
        day = first + timedelta(days=numbers.randint(0, max(0, wait // 2)))
        if follow_up:
            day = first + timedelta(days=numbers.randint(max(0, wait // 2) + 1, max(1, wait)))
        reviews.append((day, sale, follow_up))
    reviews.sort(key=lambda review: (review[0], review[1].sales_record_id, review[2]))
    for number, (day, sale, follow_up) in enumerate(reviews, start=1):
        _add(draft, number, day, sale, follow_up)


def _reviewed(numbers: random.Random, draft: Draft) -> list[tuple[Sale, bool]]:
    """The reviewed sales, each with whether it is its second review."""
    count = draft.counts.sentiments
    late = draft.today - timedelta(days=5)
    able = [sale for sale in draft.sales if sale.day < late]
    numbers.shuffle(able)
    first = able[: min(len(able), round(count * (1 - _UNREVIEWED)))]
    twice = [sale for sale in first if len(sale.product.parts) > 1][: count - len(first)]
    return [(sale, False) for sale in first] + [(sale, True) for sale in twice]


def _add(draft: Draft, number: int, day: date, sale: Sale, follow_up: bool) -> None:
    numbers = draft.rng("sentiments", number)
    product = sale.product
    stars = _stars(numbers, product, sale.customer.patience)
    polarity, severity = _POLARITIES[stars]
    facts = {
        "polarity": _VALUES[polarity],
        "severity": severity,
        "aspect": _aspect(draft, sale, follow_up),
        "stars": str(stars),
        "follow_up": "yes" if follow_up else "no",
    }
    ref = draft.add(
        "sentiments",
        sentiment_id=f"SEN-{number:05d}",
        product_id=product.product_id,
        customer_id=sale.customer.customer_id,
        review_id=f"REV-{number:05d}",
        review_content=_text(numbers, sale, facts, polarity, (day - sale.day).days // 7),
        review_date=day,
    )
    refs = [
        reference("products", product.product_id),
        reference("customers", sale.customer.customer_id),
        reference("sales", sale.sales_record_id),
    ]
    draft.latent(ref, "review", facts, tuple(refs))


def _stars(numbers: random.Random, product: Product, patience: float) -> int:
    """Good products get many; the impatient give fewer."""
    felt = product.quality + 0.15 * (patience - 0.5) + numbers.gauss(0, 0.22)
    return 1 + sum(felt > bound for bound in (0.3, 0.45, 0.56, 0.72))


def _aspect(draft: Draft, sale: Sale, follow_up: bool) -> str:
    """A part of the product; the second review of a sale is about another one."""
    numbers = draft.rng("sentiments", "aspects", sale.sales_record_id)
    order = numbers.sample(sale.product.parts, len(sale.product.parts))
    return order[1 if follow_up else 0]


def _text(numbers: random.Random, sale: Sale, facts: dict[str, str], polarity: str, weeks: int) -> str:
    phrase = _PHRASES[polarity]
    slots = facts | {
        phrase: numbers.choice(texts("parts")[facts["aspect"]][phrase]),
        "kind": sale.product.kind,
        "a_kind": with_article(sale.product.kind),
        "brand": sale.product.brand,
        "use": _use(sale.product.kind),
        "customer": "home" if numbers.random() < 0.5 else "work",
        "region": sale.customer.region,
        "month": MONTHS[sale.day.month - 1],
        "weekday": numbers.choice(_WEEKDAYS),
        "weeks": str(weeks),
    }
    other = _WORDS.data["other"]
    sentences = [pick(numbers, _WORDS.data["opinions"][f"{polarity}_{facts['severity']}"], slots)]
    if facts["follow_up"] == "yes":
        sentences.insert(0, pick(numbers, other["follow_up"], slots))
    elif numbers.random() < 0.75:
        later = weeks > 1 and numbers.random() < 0.3
        sentences.insert(0, pick(numbers, other["opening_later" if later else "opening"], slots))
    if numbers.random() < 0.45:
        sentences.insert(
            numbers.randint(len(sentences) - 1, len(sentences)), pick(numbers, other["aside"], slots)
        )
    sentences.insert(numbers.choice((0, len(sentences), len(sentences))), _WORDS.say(numbers, "stars", facts))
    return " ".join(sentences)


@cache
def _use(kind: str) -> str:
    return next(str(entry["use"]) for entry in texts("products")["kinds"] if entry["name"] == kind)
