"""Business operations: clients in trial or contract, vendors, and the people who look after them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.rows import clear_best, in_year, latest, span
from evals.tasks.task import Entity

GROUP = GoalGroup("BizOps", "bizops/clients.toml", departments=("BU",))
SUBAREA = "client/vendor"


YEARS = tuple(str(year) for year in range(2017, 2023))


# --- clients --------------------------------------------------------------------------------------------


def draw_client_terms(ctx: DrawContext) -> Draw | None:
    """Any client."""
    client = _client(ctx)
    if client is None:
        return None
    answer = [entities.date(client["renewal_date"]), entities.amount(client["monthly_revenue"])]
    return draw_about(ctx, {"client": client["business_name"]}, client, answer)


@GROUP.goal(SUBAREA, steps=1, draw=draw_client_terms)
def client_terms(slots: Slots, plan: PlanRecorder) -> Values:
    """One look at the clients."""
    client = find_client(plan, slots)
    return client["renewal_date"], client["monthly_revenue"]


def draw_client_plan(ctx: DrawContext) -> Draw | None:
    """A client by id, and what is planned."""
    client = _client(ctx)
    told = told_of(ctx, "clients", client)
    if client is None or not {"units", "next_day"} <= told.keys():
        return None
    answer = [entities.number(int(told["units"])), entities.date(told["next_day"])]
    return draw_about(ctx, {"client": client["client_id"]}, client, answer)


@GROUP.goal(SUBAREA, steps=1, draw=draw_client_plan, denials=("wrong_department",))
def client_plan(slots: Slots, plan: PlanRecorder) -> Values:
    """Read what is written of the client."""
    client = plan.one("clients", "I open that client's record.", client_id=slots["client"])
    return plan.fact(client, "units"), plan.fact(client, "next_day")


def draw_clients_in_year(ctx: DrawContext) -> Draw | None:
    """An industry and a year with new clients or without."""
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    year = ctx.rng.choice(YEARS)
    rows = in_year(ctx.facts.where("clients", industry=industry), "onboarding_date", year)
    slots = {"industry": industry, "year": year}
    if not rows:
        return ctx.draw(slots, nothing=True)
    last = latest(rows, "onboarding_date")
    if last is None or len(rows) < 2:
        return None
    answer = [entities.number(len(rows)), entities.text(last["business_name"])]
    return ctx.draw(slots, answer=answer)


@GROUP.goal(SUBAREA, steps=1, draw=draw_clients_in_year, empty=True)
def clients_in_year(slots: Slots, plan: PlanRecorder) -> Values:
    """Count them; the newest comes first."""
    rows = plan.every(
        "clients", f"I look for the clients of that industry that we won in {slots['year']}.",
        industry=slots["industry"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), rows[0]["business_name"]) if rows else plan.none(rows)


def draw_client_contact(ctx: DrawContext) -> Draw | None:
    """Who looks after a client."""
    found = with_representative(ctx, "clients")
    if found is None:
        return None
    client, person = found
    answer = [entities.person(person), entities.ident("email", person["email"])]
    return draw_about(ctx, {"client": client["business_name"]}, client, answer)


@GROUP.goal(SUBAREA, steps=2, draw=draw_client_contact)
def client_contact(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, then the directory."""
    person = representative(plan, find_client(plan, slots))
    return person["name"], person["email"]


def draw_client_product(ctx: DrawContext) -> Draw | None:
    """What a client tries out, and whether we have it."""
    found = _with_product(ctx)
    if found is None:
        return None
    client, product = found
    answer = [entities.text(product["product_name"]), entities.number(int(product["stock"]))]
    return draw_about(ctx, {"client": client["business_name"]}, client, answer)


@GROUP.goal(SUBAREA, steps=2, draw=draw_client_product)
def client_product(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, then the product."""
    product = find_product(plan, find_client(plan, slots))
    return product["product_name"], product["stock"]


def draw_client_manager(ctx: DrawContext) -> Draw | None:
    """The manager of who looks after a client."""
    found = with_representative(ctx, "clients")
    manager = ctx.facts.manager(found[1]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    client, person = found
    answer = [entities.person(person), entities.ident("email", manager["email"])]
    return draw_about(ctx, {"client": client["business_name"]}, client, answer)


@GROUP.goal(SUBAREA, steps=3, draw=draw_client_manager)
def client_manager(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, then two entries of the directory."""
    person = representative(plan, find_client(plan, slots))
    return person["name"], manager_of(plan, person)["email"]


def draw_client_reviews(ctx: DrawContext) -> Draw | None:
    """What others think of the product a client tries out."""
    found = _with_product(ctx)
    reviews = ctx.facts.where("sentiments", product_id=found[1]["product_id"]) if found else []
    if found is None or not 0 < len(reviews) <= 50:
        return None
    client, product = found
    answer = [entities.rating(product["rating"]), entities.number(len(reviews))]
    return draw_about(ctx, {"client": client["business_name"]}, client, answer)


@GROUP.goal(SUBAREA, steps=3, draw=draw_client_reviews)
def client_reviews(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, the product, its reviews."""
    product = find_product(plan, find_client(plan, slots))
    reviews = plan.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    return product["rating"], str(reviews.total)


def draw_client_reviews_in_year(ctx: DrawContext) -> Draw | None:
    """The reviews of a year on the product a client tries out, or that there are none."""
    found, year = _with_product(ctx), ctx.rng.choice(YEARS)
    if found is None:
        return None
    client, product = found
    rows = in_year(ctx.facts.where("sentiments", product_id=product["product_id"]), "review_date", year)
    slots = {"client": client["business_name"], "year": year}
    last = latest(rows, "review_date")
    if not rows:
        return ctx.draw(slots, nothing=True, about=[("clients", client)])
    if last is None:
        return None
    answer = [entities.number(len(rows)), entities.date(last["review_date"])]
    return draw_about(ctx, slots, client, answer)


@GROUP.goal(SUBAREA, steps=3, draw=draw_client_reviews_in_year, empty=True)
def client_reviews_in_year(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, the product, its reviews of the year."""
    product = find_product(plan, find_client(plan, slots))
    reviews = plan.every(
        "sentiments", f"Now its reviews of {slots['year']}.",
        product_id=product["product_id"], **span(slots["year"]),
    )  # fmt: skip
    return (str(reviews.total), reviews[0]["review_date"]) if reviews else plan.none(reviews)


def draw_other_clients(ctx: DrawContext) -> Draw | None:
    """Whether who looks after a client has clients in some industry."""
    found = with_representative(ctx, "clients")
    industry = ctx.rng.choice(ctx.facts.all("clients"))["industry"]
    if found is None or industry == found[0]["industry"]:
        return None
    rows = ctx.facts.where("clients", emp_id=found[1]["emp_id"], industry=industry)
    slots = {"client": found[0]["business_name"], "industry": industry}
    if len(rows) > 5:
        return None
    answer = [entities.text(row["business_name"]) for row in rows]
    return ctx.draw(slots, answer=answer, nothing=not rows, about=[("clients", found[0])])


@GROUP.goal(SUBAREA, steps=2, draw=draw_other_clients, empty=True)
def other_clients(slots: Slots, plan: PlanRecorder) -> Values:
    """The client, then all of that colleague's in the industry."""
    client = find_client(plan, slots)
    rows = plan.every(
        "clients", "Now the clients of that colleague in the other industry.",
        representative=client["emp_id"], industry=slots["industry"],
    )  # fmt: skip
    return tuple(row["business_name"] for row in rows) if rows else plan.none(rows)


def draw_richer_client(ctx: DrawContext) -> Draw | None:
    """Two clients, of which one brings clearly more."""
    first, second = _client(ctx), _client(ctx)
    if first is None or second is None or first is second:
        return None
    revenue = {row["business_name"]: float(row["monthly_revenue"]) for row in (first, second)}
    best = clear_best(revenue)
    if best is None:
        return None
    row = first if first["business_name"] == best else second
    slots = {"client": first["business_name"], "other": second["business_name"]}
    answer = [entities.text(best), entities.amount(row["monthly_revenue"])]
    return ctx.draw(slots, answer=answer, about=[("clients", first), ("clients", second)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_richer_client)
def richer_client(slots: Slots, plan: PlanRecorder) -> Values:
    """Both clients, and the larger revenue."""
    rows = [_client_called(plan, name) for name in (slots["client"], slots["other"])]
    plan.weigh(*rows)
    best = max(rows, key=lambda row: float(row["monthly_revenue"]))
    return best["business_name"], best["monthly_revenue"]


# --- parts ----------------------------------------------------------------------------------------------


def find_client(plan: PlanRecorder, slots: Slots) -> Row:
    """The client that the text names."""
    return _client_called(plan, slots["client"])


def find_product(plan: PlanRecorder, client: Row) -> Row:
    """The product that a client tries out."""
    name = client["current_poc_product"]
    return plan.one("products", f"They try the {name}, so I look that up.", product_name=name)


def representative(plan: PlanRecorder, partner: Row) -> Row:
    """Who looks after a client or vendor."""
    return plan.one("employees", "I look up who looks after them.", emp_id=partner["emp_id"])


def _client_called(plan: PlanRecorder, name: str) -> Row:
    return plan.one("clients", f"I look up {name}.", business_name=name)


def _client(ctx: DrawContext) -> Record | None:
    return _named(ctx, "clients")


def _named(ctx: DrawContext, source: str) -> Record | None:
    """A client or vendor whose name is no part of another's."""
    row = ctx.pick(source)
    if row is None:
        return None
    name = row["business_name"].lower()
    alike = [other for other in ctx.facts.all(source) if name in other["business_name"].lower()]
    return row if len(alike) == 1 else None


def told_of(ctx: DrawContext, source: str, row: Record | None) -> dict[str, str]:
    """What the text on a client or vendor tells."""
    key = next(iter(row.values())) if row else ""
    latent = ctx.facts.latent(source, key)
    return dict(latent.facts) if latent else {}


def with_representative(ctx: DrawContext, source: str) -> tuple[Record, Record] | None:
    """A client or vendor, and who of the others looks after it."""
    row = _named(ctx, source)
    person = ctx.facts.colleague(row["emp_id"]) if row else None
    return (row, person) if row and person and person["emp_id"] != ctx.me["emp_id"] else None


def product_of(ctx: DrawContext, client: Record) -> Record | None:
    """The product that a client tries out."""
    rows = ctx.facts.where("products", product_name=client["current_poc_product"])
    return rows[0] if len(rows) == 1 else None


def _with_product(ctx: DrawContext) -> tuple[Record, Record] | None:
    client = _client(ctx)
    product = product_of(ctx, client) if client else None
    return (client, product) if client and product else None


def draw_about(ctx: DrawContext, slots: Slots, client: Record, answer: list[Entity]) -> Draw | None:
    """A task about one client."""
    return ctx.draw(slots, answer=answer, about=[("clients", client)])
