"""Business operations: clients in trial or contract, vendors, and the people who look after them."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    clear_best,
    in_year,
    latest,
    need,
    only,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row

YEARS = tuple(str(year) for year in range(2017, 2023))


def find_client(plan: PlanRecorder, slots: Slots) -> Row:
    """The client that the text names."""
    return _client_called(plan, slots["client"])


def _client_called(plan: PlanRecorder, name: str) -> Row:
    return plan.one("clients", f"I look up {name}.", business_name=name)


def _client(ctx: DrawContext) -> Record:
    return named_partner(ctx, "clients")


def named_partner(ctx: DrawContext, source: str) -> Record:
    """A client or vendor whose name is not part of another's."""
    row = ctx.pick(source)
    name = row["business_name"].lower()
    alike = [other for other in ctx.facts.all(source) if name in other["business_name"].lower()]
    if len(alike) != 1:
        raise UnfitError
    return row


def _draw_client(ctx: DrawContext) -> Found:
    client = _client(ctx)
    return Found(client, {"client": client["business_name"]})


def other_representative(ctx: DrawContext, row: Record) -> Record:
    """The person in charge of a client or vendor: not the persona, and still here."""
    return ctx.other(ctx.facts.colleague(row["emp_id"]))


def _with_representative(ctx: DrawContext) -> tuple[Record, Record]:
    row = named_partner(ctx, "clients")
    return row, other_representative(ctx, row)


def representative(plan: PlanRecorder, partner: Row) -> Row:
    """Look up the person in charge of a client or vendor."""
    return plan.one("employees", "I look up who looks after them.", emp_id=partner["emp_id"])


def product_of(ctx: DrawContext, client: Record) -> Record:
    """The product that a client tries out."""
    return only(ctx.facts.where("products", product_name=client["current_poc_product"]))


def find_product(plan: PlanRecorder, client: Row) -> Row:
    """Look up the product that a client tries out."""
    name = client["current_poc_product"]
    return plan.one("products", f"They try the {name}, so I look that up.", product_name=name)


def _with_product(ctx: DrawContext) -> tuple[Record, Record]:
    client = _client(ctx)
    return client, product_of(ctx, client)


def _draw_by_id(ctx: DrawContext) -> Found:
    client = _client(ctx)
    return Found(client, {"client": client["client_id"]})


def _draw_top(ctx: DrawContext) -> Found:
    """The client of an industry that clearly brings in most."""
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    rows = ctx.facts.where("clients", industry=industry)
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    if len(rows) > MOST_READ:
        raise UnfitError
    return Found(need(ctx.facts.get("clients", best)), {"industry": industry})


def _find_top(plan: PlanRecorder, slots: Slots) -> Row:
    rows = plan.every("clients", "I need all clients of that industry.", industry=slots["industry"])
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    return plan.pick(next(row for row in rows if row["client_id"] == best))


GROUP = GoalGroup(
    "bizops/clients.toml",
    draws=(_draw_client, _draw_by_id, _draw_top),
    finds=(_find_top,),
)


def draw_clients_in_year(ctx: DrawContext) -> Draw:
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    year = ctx.rng.choice(YEARS)
    rows = in_year(ctx.facts.where("clients", industry=industry), "onboarding_date", year)
    slots = {"industry": industry, "year": year}
    if not rows:
        return ctx.draw(slots, nothing=True)
    last = latest(rows, "onboarding_date")
    if len(rows) < 2:
        raise UnfitError
    answer = [entities.number(len(rows)), entities.text(last["business_name"])]
    return ctx.draw(slots, answer=answer)


@GROUP.goal(draw_clients_in_year)
def clients_in_year(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "clients", f"I look for the clients of that industry that we won in {slots['year']}.",
        industry=slots["industry"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), rows[0]["business_name"]) if rows else plan.none(rows)


def draw_client_reviews_in_year(ctx: DrawContext) -> Draw:
    found, year = attempt(_with_product, ctx), ctx.rng.choice(YEARS)
    client, product = need(found)
    rows = in_year(ctx.facts.where("sentiments", product_id=product["product_id"]), "review_date", year)
    slots = {"client": client["business_name"], "year": year}
    if not rows:
        return ctx.draw(slots, nothing=True, about=[("clients", client)])
    answer = [entities.number(len(rows)), entities.date(latest(rows, "review_date")["review_date"])]
    return ctx.draw(slots, answer=answer, about=[("clients", client)])


@GROUP.goal(draw_client_reviews_in_year)
def client_reviews_in_year(slots: Slots, plan: PlanRecorder) -> Values:
    product = find_product(plan, find_client(plan, slots))
    reviews = plan.every(
        "sentiments", f"Now its reviews of {slots['year']}.",
        product_id=product["product_id"], **span(slots["year"]),
    )  # fmt: skip
    return (str(reviews.total), reviews[0]["review_date"]) if reviews else plan.none(reviews)


def draw_other_clients(ctx: DrawContext) -> Draw:
    found = attempt(_with_representative, ctx)
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    client, person = need(found)
    if industry == client["industry"]:
        raise UnfitError
    rows = ctx.facts.where("clients", emp_id=person["emp_id"], industry=industry)
    slots = {"client": client["business_name"], "industry": industry}
    if len(rows) > 5:
        raise UnfitError
    answer = [entities.text(row["business_name"]) for row in rows]
    return ctx.draw(slots, answer=answer, nothing=not rows, about=[("clients", client)])


@GROUP.goal(draw_other_clients)
def other_clients(slots: Slots, plan: PlanRecorder) -> Values:
    client = find_client(plan, slots)
    rows = plan.every(
        "clients", "Now the clients of that colleague in the other industry.",
        representative=client["emp_id"], industry=slots["industry"],
    )  # fmt: skip
    return tuple(row["business_name"] for row in rows) if rows else plan.none(rows)


def draw_richer_client(ctx: DrawContext) -> Draw:
    found, second = attempt(_client, ctx), _client(ctx)
    first = need(found)
    if first is second:
        raise UnfitError
    revenue = {row["business_name"]: float(row["monthly_revenue"]) for row in (first, second)}
    best = clear_best(revenue)
    row = first if first["business_name"] == best else second
    slots = {"client": first["business_name"], "other": second["business_name"]}
    answer = [entities.text(best), entities.amount(row["monthly_revenue"])]
    return ctx.draw(slots, answer=answer, about=[("clients", first), ("clients", second)])


@GROUP.goal(draw_richer_client)
def richer_client(slots: Slots, plan: PlanRecorder) -> Values:
    rows = [_client_called(plan, name) for name in (slots["client"], slots["other"])]
    plan.weigh(*rows)
    best = max(rows, key=lambda row: float(row["monthly_revenue"]))
    return best["business_name"], best["monthly_revenue"]


def draw_client_report_reviewer(ctx: DrawContext) -> Draw:
    drawn = GROUP.logic("client_report").draw(ctx)
    product = product_of(ctx, need(ctx.facts.at(drawn.about[0])))
    review = latest(ctx.facts.where("sentiments", product_id=product["product_id"]), "review_date")
    reviewer = need(ctx.facts.get("customers", review["customer_id"]))
    return replace(drawn, answer=(*drawn.answer, entities.text(reviewer["region"])))


@GROUP.goal(draw_client_report_reviewer)
def client_report_reviewer(slots: Slots, plan: PlanRecorder) -> Values:
    client = find_client(plan, slots)
    person = representative(plan, client)
    clients = plan.every("clients", "How many clients has that colleague?", representative=client["emp_id"])
    product = find_product(plan, client)
    reviews = plan.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    author = reviews[0]["customer_id"]
    region = plan.one("customers", "Where is the author of the latest?", customer_id=author)["region"]
    return person["name"], person["title"], str(clients.total), product["stock"], str(reviews.total), region
