"""Business operations: all around a client, its people and the product it tries out."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.bizops import (
    SUBAREA,
    draw_about,
    find_client,
    find_product,
    product_of,
    representative,
    with_representative,
)
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.sales import latest
from evals.kinds.enterprise.goals.scene import Draw, Scene, clear_best
from evals.kinds.enterprise.goals.script import Row, Script, UnfitError
from evals.tasks.task import Entity

BOOK = Book("BizOps", "bizops.toml", departments=("BU",))


def draw_top_client(scene: Scene) -> Draw | None:
    """The client of an industry that brings most, and who looks after it."""
    industry = scene.rng.choice(scene.facts.all("clients"))["industry"]
    rows = scene.facts.where("clients", industry=industry)
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    client = scene.facts.get("clients", best) if best and len(rows) <= 50 else None
    person = scene.facts.colleague(client["emp_id"]) if client else None
    manager = scene.facts.manager(person["emp_id"]) if person else None
    if client is None or person is None or manager is None:
        return None
    answer = [
        entities.text(client["business_name"]),
        entities.person(person),
        entities.ident("email", manager["email"]),
    ]
    return draw_about(scene, {"industry": industry}, client, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_top_client)
def top_client(slots: Slots, call: Script) -> Values:
    """All clients of the industry, the best one's representative, the manager."""
    rows = call.every("clients", "I need all clients of that industry.", industry=slots["industry"])
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    if best is None:
        raise UnfitError("no client leads clearly")
    client = call.pick(next(row for row in rows if row["client_id"] == best))
    person = representative(call, client)
    return client["business_name"], person["name"], manager_of(call, person)["email"]


def draw_client_overview(scene: Scene) -> Draw | None:
    """Who looks after a client, who is above, and whether the product is there."""
    return _overview(scene, reviews=False)


@BOOK.goal(SUBAREA, steps=4, draw=draw_client_overview)
def client_overview(slots: Slots, call: Script) -> Values:
    """The client, two entries of the directory, the product."""
    client, values = _people(call, slots)
    return (*values, find_product(call, client)["stock"])


def draw_client_report(scene: Scene) -> Draw | None:
    """The same with the number of reviews."""
    return _overview(scene, reviews=True)


@BOOK.goal(SUBAREA, steps=5, draw=draw_client_report)
def client_report(slots: Slots, call: Script) -> Values:
    """And the reviews."""
    client, values = _people(call, slots)
    product = find_product(call, client)
    reviews = call.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    return (*values, product["stock"], str(reviews.total))


def draw_client_report_reviewer(scene: Scene) -> Draw | None:
    """The same with where the latest review comes from."""
    draw = _overview(scene, reviews=True)
    client = scene.facts.at(draw.about[0]) if draw else None
    product = product_of(scene, client) if client else None
    rows = scene.facts.where("sentiments", product_id=product["product_id"]) if product else []
    review = latest(rows, "review_date")
    reviewer = scene.facts.get("customers", review["customer_id"]) if review else None
    if draw is None or client is None or reviewer is None:
        return None
    return draw_about(scene, draw.slots, client, [*draw.answer, entities.text(reviewer["region"])])


@BOOK.goal(SUBAREA, steps=6, draw=draw_client_report_reviewer)
def client_report_reviewer(slots: Slots, call: Script) -> Values:
    """And the author of the latest review."""
    client, values = _people(call, slots)
    product = find_product(call, client)
    reviews = call.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    author = reviews[0]["customer_id"]
    reviewer = call.one("customers", "Where is the author of the latest?", customer_id=author)
    return (*values, product["stock"], str(reviews.total), reviewer["region"])


def _people(call: Script, slots: Slots) -> tuple[Row, tuple[str, ...]]:
    client = find_client(call, slots)
    person = representative(call, client)
    return client, (person["name"], manager_of(call, person)["email"])


def _overview(scene: Scene, *, reviews: bool) -> Draw | None:
    found = with_representative(scene, "clients")
    manager = scene.facts.manager(found[1]["emp_id"]) if found else None
    product = product_of(scene, found[0]) if found else None
    if found is None or manager is None or product is None:
        return None
    rows = scene.facts.where("sentiments", product_id=product["product_id"])
    if reviews and not 0 < len(rows) <= 50:
        return None
    answer: list[Entity] = [entities.person(found[1]), entities.ident("email", manager["email"])]
    answer += [entities.number(int(product["stock"]))]
    answer += [entities.number(len(rows))] if reviews else []
    return draw_about(scene, {"client": found[0]["business_name"]}, found[0], answer)
