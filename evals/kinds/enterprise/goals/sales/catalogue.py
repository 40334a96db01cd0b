"""Sales: products and customers, added, changed and removed."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, attempt, need
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.sales.figures import named_customer, named_product
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.wording import texts

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


def _other_priced(ctx: DrawContext) -> Found:
    found = _priced(ctx)
    return Found(found.row, {"other": found.slots["product"], "other_price": found.slots["price"]})


GROUP = GoalGroup(
    "sales/catalogue.toml",
    draws=(
        _newcomer,
        _renamed,
        _priced,
        _counted,
        _any_product,
        _any_customer,
        _model,
        _other_priced,
    ),
)
