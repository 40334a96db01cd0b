"""Sales: products, customers, reviews and support chats, added, changed and removed."""

from __future__ import annotations

from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.message_changes import chat, my_manager, tell
from evals.kinds.enterprise.goals.sales import named_customer, named_product
from evals.kinds.enterprise.goals.sales_records import (
    REMOVE,
    SUBAREA,
    WRITE,
)
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.tasks.task import Action

BOOK = Book("Sales", "sales_catalogue.toml", departments=("SA",))

_NAMES = ("Asha", "Bela", "Chitra", "Deep", "Ekta", "Farid", "Gita", "Hari", "Indu", "Jaya", "Kiran", "Lata")
_KINDS = ("Traders", "Supplies", "Bazaar", "Home Store", "Outfitters", "Kitchenware", "Office Centre")


def draw_new_customer(scene: Scene) -> Draw | None:
    """A name that no customer has, and a region that some have."""
    name = f"{scene.rng.choice(_NAMES)} {scene.rng.choice(_KINDS)}"
    other = scene.rng.choice(scene.facts.all("customers"))
    if scene.facts.where("customers", customer_name=name):
        return None
    slots = {"customer": name, "region": other["region"]}
    change = action("customers.create", customer_name=name, region=other["region"])
    return scene.draw(slots, actions=[change])


@BOOK.goal(
    SUBAREA, steps=1, type="crud", draw=draw_new_customer, needs=(("create", "customers"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def new_customer(slots: Slots, call: Script) -> Values:
    """Register the customer."""
    return make_change(
        call, "I register the customer.",
        action("customers.create", customer_name=slots["customer"], region=slots["region"]),
    )  # fmt: skip


def draw_renamed(scene: Scene) -> Draw | None:
    """A customer and a new name."""
    customer = named_customer(scene)
    if customer is None:
        return None
    name = f"{scene.rng.choice(_NAMES)} {scene.rng.choice(_KINDS)}"
    if scene.facts.where("customers", customer_name=name):
        return None
    change = action("customers.update", customer_id=customer["customer_id"], customer_name=name)
    slots = {"customer": customer["customer_name"], "name": name}
    return scene.draw(slots, actions=[change], about=[("customers", customer)])


@BOOK.goal(
    SUBAREA, steps=2, type="crud", draw=draw_renamed, needs=(("update", "customers"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def renamed(slots: Slots, call: Script) -> Values:
    """Find the customer, rename it."""
    customer = call.one("customers", "I look up the customer's id.", customer_name=slots["customer"])
    key = customer["customer_id"]
    change = action("customers.update", customer_id=key, customer_name=slots["name"])
    return make_change(call, "I change the name.", change)


def draw_renamed_told(scene: Scene) -> Draw | None:
    """And the persona's manager is told."""
    draw, manager = draw_renamed(scene), scene.facts.manager(scene.me["emp_id"])
    customer = scene.facts.at(draw.about[0]) if draw else None
    if draw is None or manager is None or customer is None:
        return None
    message = chat(manager["emp_id"], _new_name(draw.slots))
    return scene.draw(
        draw.slots, actions=[*draw.actions, message], mentions=[draw.slots["name"]],
        about=[("customers", customer)],
    )  # fmt: skip


@BOOK.goal(
    SUBAREA, steps=4, type="crud", draw=draw_renamed_told, needs=(("update", "customers"),),
    denials=("level_too_low",),
)  # fmt: skip
def renamed_told(slots: Slots, call: Script) -> Values:
    """Rename it, tell the manager."""
    renamed(slots, call)
    tell(call, "I tell my manager.", chat(my_manager(call), _new_name(slots)))
    return ()


def draw_price(scene: Scene) -> Draw | None:
    """A product and a lower price."""
    product = named_product(scene)
    if product is None:
        return None
    price = str(round(float(product["discounted_price"]) * scene.rng.uniform(0.75, 0.95)))
    change = action("products.update", product_id=product["product_id"], discounted_price=price)
    slots = {"product": product["product_name"], "price": price}
    return scene.draw(slots, actions=[change], about=[("products", product)])


@BOOK.goal(
    SUBAREA, steps=2, type="crud", draw=draw_price, needs=WRITE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def price(slots: Slots, call: Script) -> Values:
    """Find the product, change its price."""
    product = call.one("products", "I look up the product's id.", product_name=slots["product"])
    key = product["product_id"]
    change = action("products.update", product_id=key, discounted_price=slots["price"])
    return make_change(call, "I set the discounted price.", change)


def draw_price_told(scene: Scene) -> Draw | None:
    """And the persona's manager is told."""
    draw, manager = draw_price(scene), scene.facts.manager(scene.me["emp_id"])
    product = scene.facts.at(draw.about[0]) if draw else None
    if draw is None or manager is None or product is None:
        return None
    message = chat(manager["emp_id"], _new_price(draw.slots))
    return scene.draw(
        draw.slots, actions=[*draw.actions, message], mentions=[draw.slots["price"]],
        about=[("products", product)],
    )  # fmt: skip


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_price_told, needs=WRITE, denials=("level_too_low",))
def price_told(slots: Slots, call: Script) -> Values:
    """Change the price, tell the manager."""
    price(slots, call)
    tell(call, "I tell my manager.", chat(my_manager(call), _new_price(slots)))
    return ()


def draw_stock(scene: Scene) -> Draw | None:
    """A product and its counted stock."""
    product, stock = named_product(scene), str(scene.rng.randint(0, 400))
    if product is None or product["stock"] == stock:
        return None
    change = action("products.update", product_id=product["product_id"], stock=stock)
    slots = {"product": product["product_name"], "stock": stock}
    return scene.draw(slots, actions=[change], about=[("products", product)])


@BOOK.goal(
    SUBAREA, steps=2, type="crud", draw=draw_stock, needs=WRITE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def stock(slots: Slots, call: Script) -> Values:
    """Find the product, set its stock."""
    product = call.one("products", "I look up the product's id.", product_name=slots["product"])
    change = action("products.update", product_id=product["product_id"], stock=slots["stock"])
    return make_change(call, "I set the stock.", change)


def draw_removed(scene: Scene) -> Draw | None:
    """A product."""
    product = named_product(scene)
    if product is None:
        return None
    change = action("products.delete", product_id=product["product_id"])
    slots = {"product": product["product_name"]}
    return scene.draw(slots, actions=[change], about=[("products", product)])


@BOOK.goal(
    SUBAREA, steps=2, type="crud", draw=draw_removed, needs=REMOVE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def removed(slots: Slots, call: Script) -> Values:
    """Find the product, delete it."""
    product = call.one("products", "I look up the product's id.", product_name=slots["product"])
    change = action("products.delete", product_id=product["product_id"])
    return make_change(call, "I delete the product.", change)


# --- parts ----------------------------------------------------------------------------------------------


def make_change(call: Script, why: str, change: Action) -> Values:
    """Make a change; nothing is to be answered."""
    call.write(change.tool, why, **change.arguments)
    return ()


def _new_name(slots: Slots) -> str:
    return f"The customer {slots['customer']} is now called {slots['name']}."


def _new_price(slots: Slots) -> str:
    return f"The {slots['product']} now costs {slots['price']} after the discount."
