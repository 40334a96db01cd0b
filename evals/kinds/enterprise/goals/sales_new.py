"""Sales: recording new ones."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.message_changes import chat, my_manager, tell
from evals.kinds.enterprise.goals.sales import named_customer, named_product
from evals.kinds.enterprise.goals.sales_records import SUBAREA, make_change
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Row, Script
from evals.tasks.task import Action

BOOK = Book("Sales", "sales_records.toml", departments=("SA",))


def draw_new_sale(scene: Scene) -> Draw | None:
    """A product, a customer and a quantity."""
    product, customer = named_product(scene), named_customer(scene)
    if product is None or customer is None:
        return None
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "quantity": str(scene.rng.randint(2, 30)),
    }
    change = _new_sale(slots, product, customer)
    about = [("products", product), ("customers", customer)]
    return scene.draw(slots, actions=[change], about=about)


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_new_sale, denials=("wrong_department",))
def new_sale(slots: Slots, call: Script) -> Values:
    """Both ids, then the sale."""
    return make_change(call, "I record the sale.", _new_sale(slots, *find_both(call, slots)))


def draw_new_sale_told(scene: Scene) -> Draw | None:
    """And the manager is told."""
    draw, manager = draw_new_sale(scene), scene.facts.manager(scene.me["emp_id"])
    if draw is None or manager is None:
        return None
    message = chat(manager["emp_id"], _sold(draw.slots))
    return _more(scene, draw, message, mentions=(draw.slots["quantity"],))


@BOOK.goal(SUBAREA, steps=5, type="crud", draw=draw_new_sale_told, denials=("wrong_department",))
def new_sale_told(slots: Slots, call: Script) -> Values:
    """The sale, then the manager."""
    new_sale(slots, call)
    tell(call, "I tell my manager.", chat(my_manager(call), _sold(slots)))
    return ()


def draw_new_sale_reviewed(scene: Scene) -> Draw | None:
    """And the customer's review is recorded, too."""
    draw = draw_new_sale_told(scene)
    if draw is None:
        return None
    slots = {**draw.slots, "review": draw_review(scene)}
    change = _new_review(slots, draw.actions[0].arguments)
    return _more(scene, draw, change, slots=slots, mentions=draw.mentions)


@BOOK.goal(
    SUBAREA, steps=6, type="crud", draw=draw_new_sale_reviewed, needs=(("create", "sentiments"),),
    denials=("level_too_low",),
)  # fmt: skip
def new_sale_reviewed(slots: Slots, call: Script) -> Values:
    """The sale, the review, the manager."""
    both = find_both(call, slots)
    sale = _new_sale(slots, *both)
    make_change(call, "I record the sale.", sale)
    make_change(call, "I record the review.", _new_review(slots, sale.arguments))
    tell(call, "I tell my manager.", chat(my_manager(call), _sold(slots)))
    return ()


REVIEWS = (
    "Works as promised, I would buy it again.",
    "Arrived with a scratch, otherwise fine.",
    "Too loud for our office.",
    "Exactly what we were looking for.",
    "The lid broke after a week.",
    "Good value, the delivery took long.",
    "Our guests ask where we got it.",
    "Not as sturdy as the old one.",
)


def draw_review(scene: Scene) -> str:
    """What a customer may say."""
    return scene.rng.choice(REVIEWS)


def find_both(call: Script, slots: Slots) -> tuple[Row, Row]:
    """The product and the customer that the text names."""
    product = call.one("products", "I look up the product's id.", product_name=slots["product"])
    customer = call.one("customers", "I look up the customer's id.", customer_name=slots["customer"])
    return product, customer


def _more(
    scene: Scene, draw: Draw, change: Action, *, slots: Slots | None = None, mentions: tuple[str, ...]
) -> Draw | None:
    about = [(ref.partition("/")[0], row) for ref in draw.about if (row := scene.facts.at(ref))]
    return scene.draw(slots or draw.slots, actions=[*draw.actions, change], mentions=mentions, about=about)


def _new_sale(slots: Slots, product: Record | Row, customer: Record | Row) -> Action:
    return action(
        "sales.create",
        product_id=product["product_id"],
        customer_id=customer["customer_id"],
        quantity=slots["quantity"],
    )


def _new_review(slots: Slots, ids: dict[str, str]) -> Action:
    return action(
        "product_sentiment.create",
        product_id=ids["product_id"],
        customer_id=ids["customer_id"],
        review_content=slots["review"],
    )


def _sold(slots: Slots) -> str:
    return f"I sold {slots['quantity']} pieces of the {slots['product']} to {slots['customer']}."
