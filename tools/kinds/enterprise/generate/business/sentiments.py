"""The reviews of a generated enterprise: what customers think of what they bought."""

from __future__ import annotations

import random
from datetime import date, timedelta

from worksmith.tools.kinds.enterprise.generate.business.deck import Deck
from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Product, Sale
from worksmith.tools.kinds.enterprise.generate.grammar import MONTHS, grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.wording import fill, with_article

_WORDS = grammar("reviews/words")
_VALUES = {"positive": "1", "neutral": "0", "negative": "-1"}
_SOME_WEEKS = 3
"""From then on a review may look back."""

_UNREVIEWED = 0.08
_LONGEST_WAIT = 70
_OPENED, _LOOKS_BACK, _GIFT, _SCENE, _ASIDE = 0.75, 0.3, 0.1, 0.6, 0.3
"""How often a review has such a sentence, where it fits."""

_FEW = ("two", "three", "four", "five", "six", "seven", "eight")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def add_sentiments(draft: Draft) -> None:
    """Reviews after the purchases. Most sales have one, a few none, a few a second one on another part.

    The truths of a review: polarity (-1, 0, 1), severity (mild, strong; none if neutral), aspect, stars and
    whether it is a follow-up. For one customer, product and aspect there is one review.
    """
    numbers = draft.rng("sentiments")
    deck = Deck(draft.rng("sentiments", "wordings"))
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
        _add(draft, deck, number, day, sale, follow_up)


def _reviewed(numbers: random.Random, draft: Draft) -> list[tuple[Sale, bool]]:
    """The reviewed sales, each with whether it is its second review."""
    count = draft.counts.sentiments
    late = draft.today - timedelta(days=5)
    able = [sale for sale in draft.sales if sale.day < late]
    numbers.shuffle(able)
    first = able[: min(len(able), round(count * (1 - _UNREVIEWED)))]
    twice = [sale for sale in first if len(sale.product.parts) > 1][: count - len(first)]
    return [(sale, False) for sale in first] + [(sale, True) for sale in twice]


def _add(draft: Draft, deck: Deck, number: int, day: date, sale: Sale, follow_up: bool) -> None:
    numbers = draft.rng("sentiments", number)
    product = sale.product
    stars = _stars(numbers, product, sale.customer.patience)
    polarity, _, severity = BANDS[stars].partition("_")
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
        review_content=_text(draft.industry, numbers, deck, sale, facts, (day - sale.day).days // 7),
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


def _text(
    industry: Industry,
    numbers: random.Random,
    deck: Deck,
    sale: Sale,
    facts: dict[str, str],
    weeks: int,
) -> str:
    """An opening, the opinion, a scene, an aside and the stars; only the opinion judges."""
    product, known = sale.product, kind_reviews(industry, sale.product.kind)
    slots = _slots(industry, numbers, sale, weeks) | facts
    band = BANDS[int(facts["stars"])]
    slots["said"] = deck.draw((product.kind, facts["aspect"], band), known.phrases(facts["aspect"], band))
    opinion = deck.draw((product.kind, facts["aspect"], band, "form"), _WORDS.data["opinions"][band])
    sentences = [fill(opinion, slots)]
    which = _which_opening(numbers, sale, facts, weeks)
    if which:
        sentences.insert(0, fill(deck.draw((which, slots["kind"]), _WORDS.data["openings"][which]), slots))
    if which != "gift" and not sale.customer.business and numbers.random() < _SCENE:
        scenes = known.scenes + (known.later if weeks >= _SOME_WEEKS else ())
        place = len(sentences) - (numbers.randint(0, 1) if which else 0)
        sentences.insert(place, fill(numbers.choice(scenes), slots))
    if numbers.random() < _ASIDE:
        asides = _WORDS.data["asides"]["business" if sale.customer.business else "any"]
        sentences.append(fill(numbers.choice(asides), slots))
    stars = _WORDS.fill(deck.draw("stars", _WORDS.data["say"]["stars"]), slots)
    sentences.insert(numbers.choice((0, len(sentences), len(sentences))), stars)
    return " ".join(sentences)


def _which_opening(numbers: random.Random, sale: Sale, facts: dict[str, str], weeks: int) -> str:
    """The list from which a review's opening comes, or nothing if it has none."""
    if facts["follow_up"] == "yes":
        return "follow_up"
    if numbers.random() >= _OPENED:
        return ""
    if weeks >= _SOME_WEEKS and numbers.random() < _LOOKS_BACK:
        return "later"
    if sale.customer.business:
        return "business"
    return "gift" if numbers.random() < _GIFT else "private"


def _slots(industry: Industry, numbers: random.Random, sale: Sale, weeks: int) -> dict[str, str]:
    few = numbers.choice(_FEW)
    return {
        "kind": sale.product.short,
        "a_kind": with_article(sale.product.short),
        "brand": sale.product.brand,
        "use": industry.kinds[sale.product.kind]["use"],
        "region": sale.customer.region,
        "month": MONTHS[sale.day.month - 1],
        "weekday": numbers.choice(_WEEKDAYS),
        "weeks": str(weeks),
        "few": few,
        "few_cap": few.capitalize(),
    }
