"""Sales: reviews and support chats, added, changed and removed."""

from __future__ import annotations

from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.sales import named_customer, named_product
from evals.kinds.enterprise.goals.sales_catalogue import make_change
from evals.kinds.enterprise.goals.sales_new import draw_review, find_both
from evals.kinds.enterprise.goals.sales_records import SUBAREA
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.tasks.task import Action

BOOK = Book("Sales", "sales_catalogue.toml", departments=("SA",))


def draw_review_added(scene: Scene) -> Draw | None:
    """A product, a customer, and what the customer says."""
    product, customer = named_product(scene), named_customer(scene)
    if product is None or customer is None:
        return None
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "review": draw_review(scene),
    }
    change = _review(slots, product["product_id"], customer["customer_id"])
    about = [("products", product), ("customers", customer)]
    return scene.draw(slots, actions=[change], mentions=[slots["review"]], about=about)


@BOOK.goal(
    SUBAREA, steps=3, type="crud", draw=draw_review_added, needs=(("create", "sentiments"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def review_added(slots: Slots, call: Script) -> Values:
    """Both ids, then the review."""
    product, customer = find_both(call, slots)
    change = _review(slots, product["product_id"], customer["customer_id"])
    return make_change(call, "I record the review.", change)


def draw_review_changed(scene: Scene) -> Draw | None:
    """The only review of a product by a customer, and a new text."""
    row = scene.pick("sentiments")
    product = scene.facts.get("products", row["product_id"]) if row else None
    customer = scene.facts.get("customers", row["customer_id"]) if row else None
    if row is None or product is None or customer is None:
        return None
    same = scene.facts.where("sentiments", product_id=row["product_id"], customer_id=row["customer_id"])
    if len(same) != 1:
        return None
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "review": draw_review(scene),
    }
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return scene.draw(slots, actions=[change], mentions=[slots["review"]], about=[("sentiments", row)])


@BOOK.goal(
    SUBAREA, steps=2, type="crud", draw=draw_review_changed, needs=(("update", "sentiments"),),
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def review_changed(slots: Slots, call: Script) -> Values:
    """Find the review, change its text."""
    row = call.one(
        "sentiments", "I look for that review.",
        product_name=slots["product"], customer_name=slots["customer"],
    )  # fmt: skip
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return make_change(call, "I replace its text.", change)


def draw_complaint(scene: Scene) -> Draw | None:
    """A product, a customer, and a complaint for the persona's own support chats."""
    draw = draw_review_added(scene)
    if draw is None:
        return None
    ids = draw.actions[0].arguments
    slots = {
        "product": draw.slots["product"],
        "customer": draw.slots["customer"],
        "complaint": draw.slots["review"],
    }
    about = [(ref.partition("/")[0], row) for ref in draw.about if (row := scene.facts.at(ref))]
    change = _complaint(slots, ids["product_id"], ids["customer_id"])
    return scene.draw(slots, actions=[change], mentions=[slots["complaint"]], about=about)


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_complaint, denials=("wrong_department",))
def complaint(slots: Slots, call: Script) -> Values:
    """Both ids, then the support chat."""
    product, customer = find_both(call, slots)
    change = _complaint(slots, product["product_id"], customer["customer_id"])
    return make_change(call, "I record it as a support chat of mine.", change)


def draw_complaint_gone(scene: Scene) -> Draw | None:
    """A support chat of the persona's."""
    row = scene.pick("support_chats", scene.facts.where("support_chats", emp_id=scene.me["emp_id"]))
    product = scene.facts.get("products", row["product_id"]) if row else None
    customer = scene.facts.get("customers", row["customer_id"]) if row else None
    if row is None or product is None or customer is None:
        return None
    slots = {"product": product["product_name"], "customer": customer["customer_name"]}
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return scene.draw(slots, actions=[change], about=[("support_chats", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_complaint_gone)
def complaint_gone(slots: Slots, call: Script) -> Values:
    """Find the chat, delete it."""
    row = call.one(
        "support_chats", "I look for that support chat of mine.", representative="me",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return make_change(call, "I delete it.", change)


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
