"""Sales: what representatives know from their support chats with customers."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.sales import in_year, span, year
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script
from evals.tasks.task import Entity

BOOK = Book("Sales", "sales_support.toml", departments=("SA",))
SUBAREA = "support rep"


def draw_promise(scene: Scene) -> Draw | None:
    """A chat in which something was promised for a day."""
    found = own_chat(scene, "order", "due")
    return draw_about(scene, found, _facts(found[1])) if found else None


@BOOK.goal(SUBAREA, steps=1, draw=draw_promise)
def promise(slots: Slots, call: Script) -> Values:
    """Read the chat."""
    return _read(call, slots)[1]


def draw_chats_in_year(scene: Scene) -> Draw | None:
    """A year with chats or without."""
    rows = scene.facts.where("support_chats", emp_id=scene.me["emp_id"])
    wanted = year(scene.rng)
    mine = in_year(rows, "interaction_date", wanted)
    if not rows or len(mine) > 40:
        return None
    customers = len({row["customer_id"] for row in mine})
    answer = [entities.number(len(mine)), entities.number(customers)] if mine else []
    return scene.draw({"year": wanted}, answer=answer, nothing=not mine)


@BOOK.goal(SUBAREA, steps=1, draw=draw_chats_in_year, empty=True)
def chats_in_year(slots: Slots, call: Script) -> Values:
    """Count chats and customers."""
    rows = call.every(
        "support_chats", f"I need all my support chats of {slots['year']}.",
        representative="me", **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), str(len({row["customer_id"] for row in rows}))) if rows else call.none(rows)


def draw_chat_on_product(scene: Scene) -> Draw | None:
    """A product on which the persona has chatted with a customer, or has not."""
    found = own_chat(scene, "due")
    if found is None:
        return None
    chat, told = found
    product = scene.rng.choice(scene.facts.all("products")) if scene.empty else chat_product(scene, chat)
    customer = chat_customer(scene, chat)
    slots = {"product": product["product_name"], "customer": customer["customer_name"]}
    rows = scene.facts.where(
        "support_chats",
        emp_id=scene.me["emp_id"],
        product_id=product["product_id"],
        customer_id=customer["customer_id"],
    )
    answer = [entities.ident("chat_id", chat["chat_id"]), entities.date(told["due"])] if rows else []
    return scene.draw(slots, answer=answer, nothing=not rows, about=[("support_chats", chat)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_chat_on_product, empty=True)
def chat_on_product(slots: Slots, call: Script) -> Values:
    """Look for the chat."""
    rows = call.read(
        "support_chats", "I look for my support chat with that customer on that product.",
        representative="me", customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
    if not rows:
        return call.none(rows)
    return call.pick(rows.first)["chat_id"], call.fact(rows[0], "due")


def draw_promise_stock(scene: Scene) -> Draw | None:
    """A promise and the product's stock."""
    found = own_chat(scene, "order", "due")
    if found is None:
        return None
    return draw_about(scene, found, [*_facts(found[1]), chat_stock(scene, found[0])])


@BOOK.goal(SUBAREA, steps=2, draw=draw_promise_stock)
def promise_stock(slots: Slots, call: Script) -> Values:
    """Read the chat, then the product."""
    chat, values = _read(call, slots)
    product = call.one("products", "Do we have that product?", product_id=chat["product_id"])
    return (*values, product["stock"])


def draw_chat_seller(scene: Scene) -> Draw | None:
    """Who sold what the chat is about."""
    found = own_chat(scene, "order")
    seller = order_seller(scene, found[1]) if found else None
    if found is None or seller is None:
        return None
    return draw_about(scene, found, [entities.ident("order", found[1]["order"]), entities.person(seller)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_chat_seller)
def chat_seller(slots: Slots, call: Script) -> Values:
    """Read the chat, then the sale."""
    sale = _sale(call, slots)
    return sale["sales_record_id"], sale["seller_name"]


def draw_chat_seller_address(scene: Scene) -> Draw | None:
    """And how to reach them."""
    found = own_chat(scene, "order")
    seller = order_seller(scene, found[1]) if found else None
    if found is None or seller is None:
        return None
    answer = [entities.person(seller), entities.ident("email", seller["email"])]
    return draw_about(scene, found, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_chat_seller_address)
def chat_seller_address(slots: Slots, call: Script) -> Values:
    """Read the chat, the sale, the directory."""
    seller = _look_up_seller(call, _sale(call, slots))
    return seller["name"], seller["email"]


def draw_chat_seller_manager(scene: Scene) -> Draw | None:
    """And the manager."""
    found = own_chat(scene, "order")
    seller = order_seller(scene, found[1]) if found else None
    manager = scene.facts.manager(seller["emp_id"]) if seller else None
    if found is None or seller is None or manager is None:
        return None
    answer = [entities.person(seller), entities.person(manager), entities.ident("email", manager["email"])]
    return draw_about(scene, found, answer)


@BOOK.goal(SUBAREA, steps=4, draw=draw_chat_seller_manager)
def chat_seller_manager(slots: Slots, call: Script) -> Values:
    """Read the chat, the sale, two entries of the directory."""
    seller = _look_up_seller(call, _sale(call, slots))
    manager = manager_of(call, seller)
    return seller["name"], manager["name"], manager["email"]


# --- parts ----------------------------------------------------------------------------------------------


def own_chat(scene: Scene, *needed: str) -> tuple[Record, dict[str, str]] | None:
    """A support chat of the persona's, the only one with this customer on this product, and its facts."""
    chat = scene.pick("support_chats", scene.facts.where("support_chats", emp_id=scene.me["emp_id"]))
    latent = scene.facts.latent("support_chats", chat["chat_id"]) if chat else None
    if chat is None or latent is None or not set(needed) <= latent.facts.keys():
        return None
    same = scene.facts.where("support_chats", customer_id=chat["customer_id"], product_id=chat["product_id"])
    return (chat, dict(latent.facts)) if len(same) == 1 else None


def chat_product(scene: Scene, chat: Record) -> Record:
    """The product of a support chat."""
    found = scene.facts.get("products", chat["product_id"])
    assert found is not None
    return found


def chat_customer(scene: Scene, chat: Record) -> Record:
    """The customer of a support chat."""
    found = scene.facts.get("customers", chat["customer_id"])
    assert found is not None
    return found


def order_seller(scene: Scene, told: dict[str, str]) -> Record | None:
    """Who made the sale that a chat names, if still here and not the persona."""
    sale = scene.facts.get("sales", told["order"])
    seller = scene.facts.colleague(sale["emp_id"]) if sale else None
    return seller if seller and seller["emp_id"] != scene.me["emp_id"] else None


def chat_stock(scene: Scene, chat: Record) -> Entity:
    """How many of the product there are."""
    return entities.number(int(chat_product(scene, chat)["stock"]))


def _facts(told: dict[str, str]) -> list[Entity]:
    return [entities.ident("order", told["order"]), entities.date(told["due"])]


def draw_about(scene: Scene, found: tuple[Record, dict[str, str]], answer: list[Entity]) -> Draw | None:
    """A task about one support chat, known by customer and product."""
    chat = found[0]
    slots = {
        "customer": chat_customer(scene, chat)["customer_name"],
        "product": chat_product(scene, chat)["product_name"],
    }
    return scene.draw(slots, answer=answer, about=[("support_chats", chat)])


def find_support_chat(call: Script, slots: Slots) -> Row:
    """The support chat that the text names by customer and product."""
    return call.one(
        "support_chats", "I look for my support chat with that customer on that product.",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip


def _read(call: Script, slots: Slots) -> tuple[Row, tuple[str, ...]]:
    chat = find_support_chat(call, slots)
    return chat, (call.fact(chat, "order"), call.fact(chat, "due"))


def _sale(call: Script, slots: Slots) -> Row:
    order = call.fact(find_support_chat(call, slots), "order")
    return call.one("sales", "I look up the order that the chat names.", sales_record_id=order)


def _look_up_seller(call: Script, sale: Row) -> Row:
    return call.one("employees", "I look up who sold it.", emp_id=sale["emp_id"])
