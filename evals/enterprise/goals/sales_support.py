"""Sales: what representatives know from their support chats with customers."""

from __future__ import annotations

from evals.enterprise.facts import Record
from evals.enterprise.goals import entities
from evals.enterprise.goals.goal import Book, Slots, Values
from evals.enterprise.goals.messages import manager_of
from evals.enterprise.goals.sales import in_year, span, year
from evals.enterprise.goals.scene import Draw, Scene
from evals.enterprise.goals.script import Row, Script
from evals.task import Entity

BOOK = Book("Sales", "sales_support.toml", departments=("SA",))
SUBAREA = "support rep"

HEAD = ("14",)
"""The directors: they see their department's chats and the personnel records below them."""


def draw_promise(scene: Scene) -> Draw | None:
    """A chat in which something was promised for a day."""
    found = _chat(scene, "order", "due")
    return _draw(scene, found, _facts(found[1])) if found else None


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
    found = _chat(scene, "due")
    if found is None:
        return None
    chat, told = found
    product = scene.rng.choice(scene.facts.all("products")) if scene.empty else _product(scene, chat)
    customer = _customer(scene, chat)
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
    found = _chat(scene, "order", "due")
    if found is None:
        return None
    return _draw(scene, found, [*_facts(found[1]), _stock(scene, found[0])])


@BOOK.goal(SUBAREA, steps=2, draw=draw_promise_stock)
def promise_stock(slots: Slots, call: Script) -> Values:
    """Read the chat, then the product."""
    chat, values = _read(call, slots)
    product = call.one("products", "Do we have that product?", product_id=chat["product_id"])
    return (*values, product["stock"])


def draw_chat_seller(scene: Scene) -> Draw | None:
    """Who sold what the chat is about."""
    found = _chat(scene, "order")
    seller = _seller(scene, found[1]) if found else None
    if found is None or seller is None:
        return None
    return _draw(scene, found, [entities.ident("order", found[1]["order"]), entities.person(seller)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_chat_seller)
def chat_seller(slots: Slots, call: Script) -> Values:
    """Read the chat, then the sale."""
    sale = _sale(call, slots)
    return sale["sales_record_id"], sale["seller_name"]


def draw_chat_seller_address(scene: Scene) -> Draw | None:
    """And how to reach them."""
    found = _chat(scene, "order")
    seller = _seller(scene, found[1]) if found else None
    if found is None or seller is None:
        return None
    answer = [entities.person(seller), entities.ident("email", seller["email"])]
    return _draw(scene, found, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_chat_seller_address)
def chat_seller_address(slots: Slots, call: Script) -> Values:
    """Read the chat, the sale, the directory."""
    seller = _look_up_seller(call, _sale(call, slots))
    return seller["name"], seller["email"]


def draw_chat_seller_manager(scene: Scene) -> Draw | None:
    """And the manager."""
    found = _chat(scene, "order")
    seller = _seller(scene, found[1]) if found else None
    manager = scene.facts.manager(seller["emp_id"]) if seller else None
    if found is None or seller is None or manager is None:
        return None
    answer = [entities.person(seller), entities.person(manager), entities.ident("email", manager["email"])]
    return _draw(scene, found, answer)


@BOOK.goal(SUBAREA, steps=4, draw=draw_chat_seller_manager)
def chat_seller_manager(slots: Slots, call: Script) -> Values:
    """Read the chat, the sale, two entries of the directory."""
    seller = _look_up_seller(call, _sale(call, slots))
    manager = manager_of(call, seller)
    return seller["name"], manager["name"], manager["email"]


def draw_case(scene: Scene) -> Draw | None:
    """A chat with all around it: seller, manager, region."""
    found = _chat(scene, "order")
    draw = draw_of(scene, found)
    return draw if found else None


def draw_of(scene: Scene, found: tuple[Record, dict[str, str]] | None, *more: Entity) -> Draw | None:
    """Seller, manager, region and more."""
    seller = _seller(scene, found[1]) if found else None
    manager = scene.facts.manager(seller["emp_id"]) if seller else None
    if found is None or seller is None or manager is None:
        return None
    region = entities.text(_customer(scene, found[0])["region"])
    answer = [entities.person(seller), entities.person(manager), entities.ident("email", manager["email"])]
    return _draw(scene, found, [*answer, region, *more])


@BOOK.goal(SUBAREA, steps=5, draw=draw_case)
def case(slots: Slots, call: Script) -> Values:
    """As far as the manager, then the customer."""
    values = chat_seller_manager(slots, call)
    customer = call.one("customers", "Where is the customer?", customer_name=slots["customer"])
    return (*values, customer["region"])


def draw_whole_case(scene: Scene) -> Draw | None:
    """And the stock."""
    found = _chat(scene, "order")
    return draw_of(scene, found, _stock(scene, found[0])) if found else None


@BOOK.goal(SUBAREA, steps=6, draw=draw_whole_case)
def whole_case(slots: Slots, call: Script) -> Values:
    """And the product."""
    values = case(slots, call)
    product = call.one("products", "Last, the product's stock.", product_name=slots["product"])
    return (*values, product["stock"])


def draw_review_after_chat(scene: Scene) -> Draw | None:
    """What the customer wrote of the product, with its rating."""
    found = _chat(scene, "due")
    if found is None:
        return None
    chat, told = found
    reviews = scene.facts.where("sentiments", product_id=chat["product_id"], customer_id=chat["customer_id"])
    if len(reviews) != 1:
        return None
    stars = scene.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
    answer = [
        entities.date(told["due"]),
        entities.number(int(stars or 0)),
        entities.rating(_product(scene, chat)["rating"]),
    ]
    return _draw(scene, found, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_review_after_chat)
def review_after_chat(slots: Slots, call: Script) -> Values:
    """Read the chat, the review, the product."""
    chat = _find(call, slots)
    due = call.fact(chat, "due")
    review = call.one(
        "sentiments", "Now the customer's review of it.",
        product_id=chat["product_id"], customer_id=chat["customer_id"],
    )  # fmt: skip
    stars = call.understood(review, "stars")
    product = call.one("products", "And the rating of the product.", product_id=chat["product_id"])
    return due, stars, product["rating"]


def draw_later_review(scene: Scene) -> Draw | None:
    """A chat, and the first review that the customer wrote after it, or none."""
    found = _chat(scene)
    if found is None:
        return None
    chat = found[0]
    reviews = [
        row
        for row in scene.facts.where(
            "sentiments", product_id=chat["product_id"], customer_id=chat["customer_id"]
        )
        if row["review_date"] >= chat["interaction_date"]
    ]
    slots = {
        "customer": _customer(scene, chat)["customer_name"],
        "product": _product(scene, chat)["product_name"],
    }
    if len(reviews) > 1:
        return None
    answer = []
    if reviews:
        stars = scene.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
        answer = [entities.date(reviews[0]["review_date"]), entities.number(int(stars or 0))]
    return scene.draw(slots, answer=answer, nothing=not reviews, about=[("support_chats", chat)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_later_review, empty=True)
def later_review(slots: Slots, call: Script) -> Values:
    """Read the chat, then look for reviews since."""
    chat = _find(call, slots)
    reviews = call.read(
        "sentiments", "Has the customer reviewed it on that day or later?",
        product_id=chat["product_id"], customer_id=chat["customer_id"], date_from=chat["interaction_date"],
    )  # fmt: skip
    if not reviews:
        return call.none(reviews)
    return call.pick(reviews.first)["review_date"], call.understood(reviews.first, "stars")


def draw_salary(scene: Scene) -> Draw | None:
    """A chat of somebody below the director."""
    chat = scene.pick("support_chats")
    person = scene.facts.colleague(chat["emp_id"]) if chat else None
    if chat is None or person is None or scene.me["emp_id"] not in scene.facts.above(person["emp_id"]):
        return None
    return scene.draw(
        {"chat_id": chat["chat_id"]},
        answer=[entities.person(person), entities.amount(person["salary"])],
        about=[("support_chats", chat)],
        subject=person["emp_id"],
    )


@BOOK.goal(SUBAREA, steps=2, draw=draw_salary, levels=HEAD, denials=("private_field",))
def salary(slots: Slots, call: Script) -> Values:
    """Read the chat, then the personnel record."""
    chat = call.one("support_chats", "I open that support chat.", chat_id=slots["chat_id"])
    person = call.one("employees", "Now the record of its representative.", emp_id=chat["emp_id"])
    return person["name"], call.private(person, "salary")


# --- parts ----------------------------------------------------------------------------------------------


def _chat(scene: Scene, *needed: str) -> tuple[Record, dict[str, str]] | None:
    """A support chat of the persona's, the only one with this customer on this product, and its facts."""
    chat = scene.pick("support_chats", scene.facts.where("support_chats", emp_id=scene.me["emp_id"]))
    latent = scene.facts.latent("support_chats", chat["chat_id"]) if chat else None
    if chat is None or latent is None or not set(needed) <= latent.facts.keys():
        return None
    same = scene.facts.where("support_chats", customer_id=chat["customer_id"], product_id=chat["product_id"])
    return (chat, dict(latent.facts)) if len(same) == 1 else None


def _product(scene: Scene, chat: Record) -> Record:
    found = scene.facts.get("products", chat["product_id"])
    assert found is not None
    return found


def _customer(scene: Scene, chat: Record) -> Record:
    found = scene.facts.get("customers", chat["customer_id"])
    assert found is not None
    return found


def _seller(scene: Scene, told: dict[str, str]) -> Record | None:
    sale = scene.facts.get("sales", told["order"])
    seller = scene.facts.colleague(sale["emp_id"]) if sale else None
    return seller if seller and seller["emp_id"] != scene.me["emp_id"] else None


def _stock(scene: Scene, chat: Record) -> Entity:
    return entities.number(int(_product(scene, chat)["stock"]))


def _facts(told: dict[str, str]) -> list[Entity]:
    return [entities.ident("order", told["order"]), entities.date(told["due"])]


def _draw(scene: Scene, found: tuple[Record, dict[str, str]], answer: list[Entity]) -> Draw | None:
    chat = found[0]
    slots = {
        "customer": _customer(scene, chat)["customer_name"],
        "product": _product(scene, chat)["product_name"],
    }
    return scene.draw(slots, answer=answer, about=[("support_chats", chat)])


def _find(call: Script, slots: Slots) -> Row:
    return call.one(
        "support_chats", "I look for my support chat with that customer on that product.",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip


def _read(call: Script, slots: Slots) -> tuple[Row, tuple[str, ...]]:
    chat = _find(call, slots)
    return chat, (call.fact(chat, "order"), call.fact(chat, "due"))


def _sale(call: Script, slots: Slots) -> Row:
    order = call.fact(_find(call, slots), "order")
    return call.one("sales", "I look up the order that the chat names.", sales_record_id=order)


def _look_up_seller(call: Script, sale: Row) -> Row:
    return call.one("employees", "I look up who sold it.", emp_id=sale["emp_id"])
