"""Business operations: all around a client, its people and the product it tries out."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.bizops.clients import (
    draw_about,
    find_client,
    find_product,
    product_of,
    representative,
    with_representative,
)
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, clear_best, latest, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.tasks.task import Entity

GROUP = GoalGroup("bizops/clients.toml")


def draw_top_client(ctx: DrawContext) -> Draw:
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    rows = ctx.facts.where("clients", industry=industry)
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    if len(rows) > 50:
        raise UnfitError
    client = need(ctx.facts.get("clients", best))
    person = need(ctx.facts.colleague(client["emp_id"]))
    manager = ctx.above(person)
    answer = [
        entities.text(client["business_name"]),
        entities.person(person),
        entities.ident("email", manager["email"]),
    ]
    return draw_about(ctx, {"industry": industry}, client, answer)


@GROUP.goal(draw_top_client)
def top_client(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("clients", "I need all clients of that industry.", industry=slots["industry"])
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    client = plan.pick(next(row for row in rows if row["client_id"] == best))
    person = representative(plan, client)
    return client["business_name"], person["name"], manager_of(plan, person)["email"]


def draw_client_overview(ctx: DrawContext) -> Draw:
    return _overview(ctx, reviews=False)


@GROUP.goal(draw_client_overview)
def client_overview(slots: Slots, plan: PlanRecorder) -> Values:
    client, values = _people(plan, slots)
    return *values, find_product(plan, client)["stock"]


def draw_client_report(ctx: DrawContext) -> Draw:
    return _overview(ctx, reviews=True)


@GROUP.goal(draw_client_report)
def client_report(slots: Slots, plan: PlanRecorder) -> Values:
    client, values = _people(plan, slots)
    product = find_product(plan, client)
    reviews = plan.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    return *values, product["stock"], str(reviews.total)


def draw_client_report_reviewer(ctx: DrawContext) -> Draw:
    draw = _overview(ctx, reviews=True)
    client = need(ctx.facts.at(draw.about[0]))
    product = product_of(ctx, client)
    rows = ctx.facts.where("sentiments", product_id=product["product_id"])
    review = latest(rows, "review_date")
    reviewer = need(ctx.facts.get("customers", review["customer_id"]))
    return draw_about(ctx, draw.slots, client, [*draw.answer, entities.text(reviewer["region"])])


@GROUP.goal(draw_client_report_reviewer)
def client_report_reviewer(slots: Slots, plan: PlanRecorder) -> Values:
    client, values = _people(plan, slots)
    product = find_product(plan, client)
    reviews = plan.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    author = reviews[0]["customer_id"]
    reviewer = plan.one("customers", "Where is the author of the latest?", customer_id=author)
    return *values, product["stock"], str(reviews.total), reviewer["region"]


def _people(plan: PlanRecorder, slots: Slots) -> tuple[Row, tuple[str, ...]]:
    client = find_client(plan, slots)
    person = representative(plan, client)
    return client, (person["name"], manager_of(plan, person)["email"])


def _overview(ctx: DrawContext, *, reviews: bool) -> Draw:
    found = with_representative(ctx, "clients")
    manager = ctx.above(found[1])
    product = product_of(ctx, found[0])
    rows = ctx.facts.where("sentiments", product_id=product["product_id"])
    if reviews and (not 0 < len(rows) <= 50):
        raise UnfitError
    answer: list[Entity] = [entities.person(found[1]), entities.ident("email", manager["email"])]
    answer += [entities.number(int(product["stock"]))]
    answer += [entities.number(len(rows))] if reviews else []
    return draw_about(ctx, {"client": found[0]["business_name"]}, found[0], answer)
