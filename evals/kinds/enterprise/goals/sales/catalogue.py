"""Sales: products, customers, reviews and support chats, added, changed and removed."""

from __future__ import annotations

from evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
    only,
)
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.paths import Found
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.record_changes import Change
from evals.kinds.enterprise.goals.sales.figures import catalogue_names, named_customer, named_product
from evals.kinds.enterprise.goals.sales.records import draw_review, find_both
from evals.kinds.enterprise.goals.telling import chat, telling_my_manager
from evals.tasks.task import Action
from tools.files.data_files import read_toml

GROUP = GoalGroup("sales/catalogue.toml")

_WORDS = read_toml(__package__, "words.toml")


def draw_new_customer(ctx: DrawContext) -> Draw:
    name = _new_name(ctx)
    region = ctx.rng.choice(ctx.facts.all("customers"))["region"]
    if ctx.facts.where("customers", customer_name=name):
        raise UnfitError
    slots = {"customer": name, "region": region}
    return ctx.draw(slots, actions=[_registration(slots)])


@GROUP.goal(draw_new_customer)
def new_customer(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I register the customer.", _registration(slots))


def _registration(slots: Slots) -> Action:
    return action("customers.create", customer_name=slots["customer"], region=slots["region"])


def _new_name(ctx: DrawContext) -> str:
    return " ".join(ctx.rng.choice(_WORDS[part]) for part in ("owners", "shops"))


def _renamed(ctx: DrawContext) -> Found:
    customer, name = named_customer(ctx), _new_name(ctx)
    if ctx.facts.where("customers", customer_name=name):
        raise UnfitError
    return Found(customer, {"customer": customer["customer_name"], "name": name})


def _priced(ctx: DrawContext) -> Found:
    product = named_product(ctx)
    price = str(round(float(product["discounted_price"]) * ctx.rng.uniform(0.75, 0.95)))
    return Found(product, {"product": product["product_name"], "price": price})


def _counted(ctx: DrawContext) -> Found:
    found, stock = attempt(named_product, ctx), str(ctx.rng.randint(0, 400))
    product = need(found)
    if product["stock"] == stock:
        raise UnfitError
    return Found(product, {"product": product["product_name"], "stock": stock})


def _any_product(ctx: DrawContext) -> Found:
    product = named_product(ctx)
    return Found(product, {"product": product["product_name"]})


def _find_customer(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("customers", "I look up the customer's id.", customer_name=slots["customer"])


def _find_product(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("products", "I look up the product's id.", product_name=slots["product"])


_RENAME = Change(
    "customers",
    _renamed,
    _find_customer,
    "I change the name.",
    lambda customer, slots: action(
        "customers.update", customer_id=customer["customer_id"], customer_name=slots["name"]
    ),
)
_PRICE = Change(
    "products",
    _priced,
    _find_product,
    "I set the discounted price.",
    lambda product, slots: action(
        "products.update", product_id=product["product_id"], discounted_price=slots["price"]
    ),
)
_STOCK = Change(
    "products",
    _counted,
    _find_product,
    "I set the stock.",
    lambda product, slots: action("products.update", product_id=product["product_id"], stock=slots["stock"]),
)
_REMOVE = Change(
    "products",
    _any_product,
    _find_product,
    "I delete the product.",
    lambda product, _: action("products.delete", product_id=product["product_id"]),
)
GROUP.add(renamed=_RENAME, price=_PRICE, stock=_STOCK, removed=_REMOVE)

_RENAME_TOLD = telling_my_manager(
    _RENAME,
    lambda to, slots: chat(to, f"The customer {slots['customer']} is now called {slots['name']}."),
    mentions=("name",),
)
_PRICE_TOLD = telling_my_manager(
    _PRICE,
    lambda to, slots: chat(to, f"The {slots['product']} now costs {slots['price']} after the discount."),
    mentions=("price",),
)
GROUP.add(renamed_told=_RENAME_TOLD, price_told=_PRICE_TOLD)


def draw_review_added(ctx: DrawContext) -> Draw:
    found, customer = attempt(named_product, ctx), named_customer(ctx)
    product = need(found)
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "review": draw_review(ctx),
    }
    change = _review(slots, product["product_id"], customer["customer_id"])
    about = [("products", product), ("customers", customer)]
    return ctx.draw(slots, actions=[change], mentions=[slots["review"]], about=about)


@GROUP.goal(draw_review_added)
def review_added(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _review(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record the review.", change)


def draw_review_changed(ctx: DrawContext) -> Draw:
    row = ctx.pick("sentiments")
    only(ctx.facts.where("sentiments", product_id=row["product_id"], customer_id=row["customer_id"]))
    slots = {**catalogue_names(ctx, row), "review": draw_review(ctx)}
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return ctx.draw(slots, actions=[change], mentions=[slots["review"]], about=[("sentiments", row)])


@GROUP.goal(draw_review_changed)
def review_changed(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "sentiments", "I look for that review.",
        product_name=slots["product"], customer_name=slots["customer"],
    )  # fmt: skip
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return plan.carry_out("I replace its text.", change)


def draw_complaint(ctx: DrawContext) -> Draw:
    draw = draw_review_added(ctx)
    ids = draw.actions[0].arguments
    slots = {
        "product": draw.slots["product"],
        "customer": draw.slots["customer"],
        "complaint": draw.slots["review"],
    }
    about = [(ref.partition("/")[0], row) for ref in draw.about if (row := ctx.facts.at(ref))]
    change = _complaint(slots, ids["product_id"], ids["customer_id"])
    return ctx.draw(slots, actions=[change], mentions=[slots["complaint"]], about=about)


@GROUP.goal(draw_complaint)
def complaint(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _complaint(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record it as a support chat of mine.", change)


def draw_complaint_gone(ctx: DrawContext) -> Draw:
    row = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    slots = catalogue_names(ctx, row)
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return ctx.draw(slots, actions=[change], about=[("support_chats", row)])


@GROUP.goal(draw_complaint_gone)
def complaint_gone(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "support_chats", "I look for that support chat of mine.", representative="me",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return plan.carry_out("I delete it.", change)


def _review(slots: Slots, product_id: str, customer_id: str) -> Action:
    return action(
        "product_sentiment.create",
        product_id=product_id,
        customer_id=customer_id,
        review_content=slots["review"],
    )


def _complaint(slots: Slots, product_id: str, customer_id: str) -> Action:
    return action(
        "customer_support_chats.create",
        product_id=product_id,
        customer_id=customer_id,
        text=slots["complaint"],
    )
