"""Sales: products, customers, reviews and support chats, added, changed and removed."""

from __future__ import annotations

from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.sales.figures import named_customer, named_product
from evals.kinds.enterprise.goals.sales.records import (
    REMOVE,
    SUBAREA,
    WRITE,
)
from evals.kinds.enterprise.goals.telling import chat, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need

GROUP = GoalGroup("Sales", "sales/catalogue.toml", departments=("SA",))

_NAMES = ("Asha", "Bela", "Chitra", "Deep", "Ekta", "Farid", "Gita", "Hari", "Indu", "Jaya", "Kiran", "Lata")
_KINDS = ("Traders", "Supplies", "Bazaar", "Home Store", "Outfitters", "Kitchenware", "Office Centre")


def draw_new_customer(ctx: DrawContext) -> Draw:
    name = f"{ctx.rng.choice(_NAMES)} {ctx.rng.choice(_KINDS)}"
    other = ctx.rng.choice(ctx.facts.all("customers"))
    if ctx.facts.where("customers", customer_name=name):
        raise UnfitError
    slots = {"customer": name, "region": other["region"]}
    change = action("customers.create", customer_name=name, region=other["region"])
    return ctx.draw(slots, actions=[change])


@GROUP.goal(
    SUBAREA, steps=1, type="crud", draw=draw_new_customer, needs=(("create", "customers"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def new_customer(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out( "I register the customer.",
        action("customers.create", customer_name=slots["customer"], region=slots["region"]),
    )  # fmt: skip


def draw_renamed(ctx: DrawContext) -> Draw:
    customer = named_customer(ctx)
    name = f"{ctx.rng.choice(_NAMES)} {ctx.rng.choice(_KINDS)}"
    if ctx.facts.where("customers", customer_name=name):
        raise UnfitError
    change = action("customers.update", customer_id=customer["customer_id"], customer_name=name)
    slots = {"customer": customer["customer_name"], "name": name}
    return ctx.draw(slots, actions=[change], about=[("customers", customer)])


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_renamed, needs=(("update", "customers"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def renamed(slots: Slots, plan: PlanRecorder) -> Values:
    customer = plan.one("customers", "I look up the customer's id.", customer_name=slots["customer"])
    key = customer["customer_id"]
    change = action("customers.update", customer_id=key, customer_name=slots["name"])
    return plan.carry_out("I change the name.", change)


def draw_renamed_told(ctx: DrawContext) -> Draw:
    draw, manager = draw_renamed(ctx), ctx.above(ctx.me)
    customer = need(ctx.facts.at(draw.about[0]))
    message = chat(manager["emp_id"], _new_name(draw.slots))
    return ctx.draw(
        draw.slots,
        actions=[*draw.actions, message],
        mentions=[draw.slots["name"]],
        about=[("customers", customer)],
    )


@GROUP.goal(
    SUBAREA, steps=4, type="crud", draw=draw_renamed_told, needs=(("update", "customers"),),
    denials=("level_too_low",),
)  # fmt: skip
def renamed_told(slots: Slots, plan: PlanRecorder) -> Values:
    renamed(slots, plan)
    return plan.carry_out("I tell my manager.", chat(my_manager(plan), _new_name(slots)))


def draw_price(ctx: DrawContext) -> Draw:
    product = named_product(ctx)
    price = str(round(float(product["discounted_price"]) * ctx.rng.uniform(0.75, 0.95)))
    change = action("products.update", product_id=product["product_id"], discounted_price=price)
    slots = {"product": product["product_name"], "price": price}
    return ctx.draw(slots, actions=[change], about=[("products", product)])


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_price, needs=WRITE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def price(slots: Slots, plan: PlanRecorder) -> Values:
    product = plan.one("products", "I look up the product's id.", product_name=slots["product"])
    key = product["product_id"]
    change = action("products.update", product_id=key, discounted_price=slots["price"])
    return plan.carry_out("I set the discounted price.", change)


def draw_price_told(ctx: DrawContext) -> Draw:
    draw, manager = draw_price(ctx), ctx.above(ctx.me)
    product = need(ctx.facts.at(draw.about[0]))
    message = chat(manager["emp_id"], _new_price(draw.slots))
    return ctx.draw(
        draw.slots,
        actions=[*draw.actions, message],
        mentions=[draw.slots["price"]],
        about=[("products", product)],
    )


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_price_told, needs=WRITE, denials=("level_too_low",))
def price_told(slots: Slots, plan: PlanRecorder) -> Values:
    price(slots, plan)
    return plan.carry_out("I tell my manager.", chat(my_manager(plan), _new_price(slots)))


def draw_stock(ctx: DrawContext) -> Draw:
    found, stock = attempt(named_product, ctx), str(ctx.rng.randint(0, 400))
    product = need(found)
    if product["stock"] == stock:
        raise UnfitError
    change = action("products.update", product_id=product["product_id"], stock=stock)
    slots = {"product": product["product_name"], "stock": stock}
    return ctx.draw(slots, actions=[change], about=[("products", product)])


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_stock, needs=WRITE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def stock(slots: Slots, plan: PlanRecorder) -> Values:
    product = plan.one("products", "I look up the product's id.", product_name=slots["product"])
    change = action("products.update", product_id=product["product_id"], stock=slots["stock"])
    return plan.carry_out("I set the stock.", change)


def draw_removed(ctx: DrawContext) -> Draw:
    product = named_product(ctx)
    change = action("products.delete", product_id=product["product_id"])
    slots = {"product": product["product_name"]}
    return ctx.draw(slots, actions=[change], about=[("products", product)])


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_removed, needs=REMOVE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def removed(slots: Slots, plan: PlanRecorder) -> Values:
    product = plan.one("products", "I look up the product's id.", product_name=slots["product"])
    change = action("products.delete", product_id=product["product_id"])
    return plan.carry_out("I delete the product.", change)


def _new_name(slots: Slots) -> str:
    return f"The customer {slots['customer']} is now called {slots['name']}."


def _new_price(slots: Slots) -> str:
    return f"The {slots['product']} now costs {slots['price']} after the discount."
