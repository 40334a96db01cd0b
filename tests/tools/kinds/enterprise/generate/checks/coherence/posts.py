"""A post agrees with the records of what it is about, and tells of nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.clients import industry_of
from tests.tools.kinds.enterprise.generate.checks.coherence.products import foreign_products, kind_of
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.reviews import defects
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.talk.posts import post_grammar
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.sentences import read

Stated = Mapping[str, str]


def incoherent_post(post: Record, facts: Facts) -> Iterator[str]:
    """Facts that the records contradict, and sentences about another product, place, trade or department."""
    kinds = dict(_kinds(post["body"], facts.industry))
    if len(kinds) != 1:
        yield f"it is a post of {len(kinds)} kinds"
    for kind, stated in kinds.items():
        if kind in _CHECKS:
            yield from _CHECKS[kind](post, stated, facts)


def _kinds(body: str, industry: Industry) -> Iterator[tuple[str, Stated]]:
    """The kinds of posts whose facts the text states, each with what it states."""
    words = post_grammar(industry)
    for kind, data in words.data["kinds"].items():
        stated: dict[str, str] = {}
        for slot in data["facts"]:
            values = read(words, f"{slot}_{kind}", body, slot)
            if len(values) != 1:
                break
            stated[slot] = values.pop()
        else:
            yield kind, stated


def _launch(post: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    product = _product(stated, facts)
    if product is None:
        yield f"there is no product {stated['about']!r}"
        return
    sold = [sale["date_of_purchase"] for sale in facts.where("sales", product_id=product["product_id"])]
    if sold and min(sold) < stated["day"]:
        yield f"{stated['about']!r} was sold before it was launched"
    yield from foreign_products(post["body"], kind_of(product, facts.industry), facts.industry)


def _recall(post: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    product = _product(stated, facts)
    if product is None:
        yield f"there is no product {stated['about']!r}"
        return
    sold = [sale["date_of_purchase"] for sale in facts.where("sales", product_id=product["product_id"])]
    if not sold or min(sold) > post["date"]:
        yield f"{stated['about']!r} was recalled before it was sold"
    kind = facts.industry.kinds[kind_of(product, facts.industry)]
    blamed = {part for _, parts in _faults(facts.industry).found(post["body"]) for part in parts}
    if blamed.isdisjoint(kind["parts"]):
        yield f"what is wrong is no part of a {kind['name']}"


def _milestone(post: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    kind = facts.industry.kinds[stated["range"]]
    sales = [
        sale
        for product in facts.where("products", category=kind["category"])
        for sale in facts.where("sales", product_id=product["product_id"])
    ]
    sold = sum(int(sale["quantity"]) for sale in sales if sale["date_of_purchase"] <= post["date"])
    if str(sold) != stated["figure"]:
        yield f"{sold} pieces were sold, not {stated['figure']}"
    yield from foreign_products(post["body"], stated["range"], facts.industry)


def _partnership(post: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    clients = facts.where("clients", business_name=stated["about"])
    if not clients:
        yield f"there is no client {stated['about']!r}"
        return
    if clients[0]["onboarding_date"] != stated["day"]:
        yield f"{stated['about']!r} became a client on another day"
    yield from industry_of(clients[0], post["body"], facts.industry)
    products = facts.where("products", product_name=clients[0]["current_poc_product"])
    yield from foreign_products(post["body"], kind_of(products[0], facts.industry), facts.industry)


def _award(_: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    people = facts.where("employees", name=stated["who"])
    if not people or not people[0]["doj"] <= stated["day"] <= (people[0]["dol"] or "9999"):
        yield f"{stated['who']} does not work here on that day"


def _farewell(post: Record, stated: Stated, facts: Facts) -> Iterator[str]:
    people = facts.where("employees", name=stated["who"])
    if not people or people[0]["dol"] != stated["day"]:
        yield f"{stated['who']} does not leave on that day"
        return
    for phrase, departments in _careers().found(post["body"]):
        if people[0]["department"] not in departments:
            yield f"{phrase!r} is no work of {people[0]['department']}"


def _volunteering(post: Record, stated: Stated, _: Facts) -> Iterator[str]:
    for phrase, places in _helps().found(post["body"]):
        if stated["place"] not in places:
            yield f"{phrase!r} is no help at {stated['place']}"


_CHECKS: dict[str, Callable[[Record, Stated, Facts], Iterator[str]]] = {
    "launch": _launch,
    "recall": _recall,
    "milestone": _milestone,
    "partnership": _partnership,
    "award": _award,
    "farewell": _farewell,
    "volunteering": _volunteering,
}


def _product(stated: Stated, facts: Facts) -> Record | None:
    found = facts.where("products", product_name=stated["about"])
    return found[0] if found else None


@cache
def _faults(industry: Industry) -> Phrases[str]:
    return Phrases(
        (f"the {part} {fault}", part)
        for entry in industry.catalogue["kinds"]
        for part, faults in defects(industry, entry["name"]).items()
        for fault in faults
    )


@cache
def _careers() -> Phrases[str]:
    return Phrases((line, code) for code, lines in texts("posts/stories")["career"].items() for line in lines)


@cache
def _helps() -> Phrases[str]:
    return Phrases((line, place) for place, lines in texts("posts/stories")["help"].items() for line in lines)
