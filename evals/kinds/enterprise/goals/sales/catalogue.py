"""Sales: products and customers, added, changed and removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, action, attempt, need
from worksmith.evals.kinds.enterprise.goals.goal import GoalGroup, Slots
from worksmith.evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to, post
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series, no_words
from worksmith.evals.kinds.enterprise.goals.sales.figures import named_customer, named_product
from worksmith.evals.tasks.task import Action
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.wording import texts

GROUP = GoalGroup("sales/catalogue.toml")

_WORDS = read_toml(__package__, "words.toml")


def _newcomer(ctx: DrawContext) -> Found:
    """The name and the region of a customer who is not there yet."""
    name = _new_name(ctx)
    region = ctx.rng.choice(ctx.facts.all("customers"))["region"]
    if ctx.facts.where("customers", customer_name=name):
        raise UnfitError
    return Found(ctx.me, {"customer": name, "region": region})


def _new_name(ctx: DrawContext) -> str:
    return " ".join(ctx.rng.choice(_WORDS[part]) for part in ("owners", "shops"))


def _renamed(ctx: DrawContext) -> Found:
    """A business under a new name; people keep theirs."""
    customer, name = named_customer(ctx), _new_name(ctx)
    signs = {word for name in texts("customers")["businesses"] for word in name.split() if "{" not in word}
    if signs.isdisjoint(customer["customer_name"].split()) or ctx.facts.where(
        "customers", customer_name=name
    ):
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


def _any_customer(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    return Found(customer, {"customer": customer["customer_name"]})


def _find_customer(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("customers", "I look up the customer's id.", customer_name=slots["customer"])


def _find_product(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("products", "I look up the product's id.", product_name=slots["product"])


_REGISTER = Change(
    "",
    _newcomer,
    None,
    "I register the customer.",
    lambda _, slots: action("customers.create", customer_name=slots["customer"], region=slots["region"]),
)
_FORGET = Change(
    "customers",
    _any_customer,
    _find_customer,
    "I delete the customer.",
    lambda customer, _: action("customers.delete", customer_id=customer["customer_id"]),
)
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
GROUP.add(
    new_customer=_REGISTER,
    customer_removed=_FORGET,
    renamed=_RENAME,
    price=_PRICE,
    stock=_STOCK,
    removed=_REMOVE,
)


def _model(ctx: DrawContext) -> Found:
    """A product in the catalogue, and the figures of a new one of the same category."""
    other = named_product(ctx)
    called = other["product_name"].partition(",")[0]
    kinds = [name for name in ctx.facts.industry.kinds if called.lower().endswith(name.lower())]
    name = " ".join(ctx.rng.choice(_WORDS[part]) for part in ("makes", "series"))
    name = f"{name} {called[-len(need(max(kinds, key=len, default=None))) :]}"
    listed = round(float(other["actual_price"]) * ctx.rng.uniform(0.9, 1.3))
    if ctx.facts.where("products", product_name=name):
        raise UnfitError
    return Found(
        other,
        {
            "other": other["product_name"],
            "product": name,
            "list_price": str(listed),
            "price": str(round(listed * ctx.rng.uniform(0.7, 0.95))),
            "stock": str(ctx.rng.randint(5, 400)),
        },
    )


def _addition(other: Mapping[str, str], slots: Slots) -> Action:
    return action(
        "products.create",
        product_name=slots["product"],
        category=other["category"],
        discounted_price=slots["price"],
        actual_price=slots["list_price"],
        stock=slots["stock"],
    )


def _find_model(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("products", f"I look up the {slots['other']}.", product_name=slots["other"])


_ADD = Change("products", _model, _find_model, "I add the product.", _addition)
_SUCCEED = replace(
    _ADD,
    also=(
        ("I delete the old one.", lambda other, _: action("products.delete", product_id=other["product_id"])),
    ),
)
_SECOND_PRICE = Change(
    "products",
    lambda ctx: _other_price(_priced(ctx)),
    _find_model,
    "I set the other discounted price.",
    lambda product, slots: action(
        "products.update", product_id=product["product_id"], discounted_price=slots["other_price"]
    ),
)


def _other_price(found: Found) -> Found:
    return Found(found.row, {"other": found.slots["product"], "other_price": found.slots["price"]})


def _newcomer_said(slots: Slots) -> str:
    return f"{slots['customer']} from {slots['region']} is now a customer of ours."


def _forgotten_said(slots: Slots) -> str:
    return f"{slots['customer']} is no longer a customer of ours."


def _removed_said(slots: Slots) -> str:
    return f"We no longer sell the {slots['product']}."


def _new_name_said(slots: Slots) -> str:
    return f"The customer {slots['customer']} is now called {slots['name']}."


def _price_said(slots: Slots) -> str:
    return f"The {slots['product']} now costs {slots['price']} after the discount."


def _product_said(slots: Slots) -> str:
    return f"We now sell the {slots['product']}, for {slots['price']} after the discount."


def _said(change: Change, *slots: str) -> Change:
    """A message that has to contain these words of the text."""
    return replace(change, mentions=(*change.mentions, *slots))


GROUP.add(
    new_customer_announced=Series(
        no_words,
        _REGISTER,
        _said(post(_newcomer_said), "customer", "region"),
        chat_to("colleague", _newcomer_said),
    ),
    new_customer_shared=Series(
        no_words,
        _REGISTER,
        _said(post(_newcomer_said), "customer", "region"),
        chat_to("colleague", _newcomer_said),
        mail_to("third", _newcomer_said),
    ),
    customer_removed_both=Series(
        no_words,
        _FORGET,
        _said(chat_to("colleague", _forgotten_said), "customer"),
        mail_to("third", _forgotten_said),
    ),
    renamed_both=Series(
        no_words,
        _RENAME,
        _said(chat_to("colleague", _new_name_said), "name"),
        mail_to("third", _new_name_said),
    ),
    customer_removed_told=Series(no_words, _FORGET, _said(chat_to("colleague", _forgotten_said), "customer")),
    removed_told=Series(no_words, _REMOVE, _said(chat_to("colleague", _removed_said), "product")),
    removed_announced=Series(
        no_words, _REMOVE, _said(post(_removed_said), "product"), chat_to("colleague", _removed_said)
    ),
    new_product=Series(no_words, _ADD),
    new_product_told=Series(no_words, _ADD, _said(chat_to("colleague", _product_said), "product", "price")),
    successor=Series(no_words, _SUCCEED),
    successor_announced=Series(
        no_words,
        _SUCCEED,
        _said(post(_product_said), "product", "price"),
        chat_to("colleague", _product_said),
    ),
    renamed_told=Series(no_words, _RENAME, _said(chat_to("colleague", _new_name_said), "name")),
    price_told=Series(no_words, _PRICE, _said(chat_to("colleague", _price_said), "price")),
    price_announced=Series(
        no_words, _PRICE, _said(post(_price_said), "price"), chat_to("colleague", _price_said)
    ),
    two_prices=Series(no_words, _PRICE, _SECOND_PRICE),
)
