"""16 tools over the tables of tau2-bench's retail domain, which `convert.py` puts beside this file."""

import ast
import operator
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

import worksmith as ws

HERE = Path(__file__).parent
TABLES = {"users": "user_id", "products": "product_id", "orders": "order_id"}
LATER = ("exchange_items", "exchange_new_items", "return_items")
"""Columns of orders that are empty at first, so that nobody can see that they hold lists."""

env = ws.Environment.from_tables(
    {name: HERE / f"{name}.jsonl" for name in TABLES},
    keys=TABLES,
    types={"orders": {**dict.fromkeys(LATER, "json"), "exchange_price_difference": "real"}},
    now="2024-05-15 15:00",
    house_rules=(HERE / "policy.md").read_text(encoding="utf-8"),
)
CHANGING = ["cancel_pending_order", "return_delivered_order_items", "exchange_delivered_order_items"]
CHANGING += [f"modify_pending_order_{what}" for what in ("address", "items", "payment")]
AGREED = {"needs": "ask_user", "reply": "yes", "each": True}
env.use_procedure(
    [{"tool": tool, "named": ["order_id"], **AGREED} for tool in CHANGING]
    + [{"tool": "modify_user_address", **AGREED}]
)

Order = dict[str, Any]


@env.tool(writes=False)
def find_user_id_by_email(ctx: ws.Context, email: str) -> str:
    """The id of the user with an email address."""
    return _only(user for user in ctx["users"].find() if user["email"].lower() == email.lower())


@env.tool(writes=False)
def find_user_id_by_name_zip(ctx: ws.Context, first_name: str, last_name: str, zip: str) -> str:
    """The id of the user with a name and zip code, for those who do not know their email."""
    wanted = (first_name.lower(), last_name.lower(), zip)
    return _only(user for user in ctx["users"].find() if _name_and_zip(user) == wanted)


@env.tool(writes=False)
def get_user_details(ctx: ws.Context, user_id: str) -> dict[str, Any]:
    """A user's name, address, email, payment methods and orders."""
    return ctx["users"].get(user_id)


@env.tool(writes=False)
def get_order_details(ctx: ws.Context, order_id: str) -> Order:
    """An order, such as #W1234567: its items, status, address, payments and shipments."""
    return ctx["orders"].get(order_id)


@env.tool(writes=False)
def get_product_details(ctx: ws.Context, product_id: str) -> dict[str, Any]:
    """A product with all its items: options, price, and whether there are some left."""
    return ctx["products"].get(product_id)


@env.tool(writes=False)
def get_item_details(ctx: ws.Context, item_id: str) -> dict[str, Any]:
    """An item of a product: options, price, and whether there are some left."""
    for product in ctx["products"].find():
        if item_id in product["variants"]:
            return product["variants"][item_id]
    raise ws.ToolError(f"There is no item {item_id}.")


@env.tool(writes=False)
def list_all_product_types(ctx: ws.Context) -> dict[str, str]:
    """The names of all products, each with its id."""
    return {product["name"]: product["product_id"] for product in sorted(ctx["products"].find(), key=_name)}


@env.tool(writes=False)
def calculate(ctx: ws.Context, expression: str) -> str:
    """The value of an expression of numbers, + - * / and parentheses, with two decimals."""
    try:
        return str(round(float(_value(ast.parse(expression, mode="eval").body)), 2))
    except (SyntaxError, ArithmeticError, KeyError, ValueError):
        raise ws.ToolError(f"This cannot be computed: {expression}") from None


@env.tool(writes=False)
def transfer_to_human_agents(ctx: ws.Context, summary: str) -> str:
    """Hand the conversation over to a person, where the user wants that or no tool can help.

    Args:
        summary: what the user wanted, and why it could not be done.
    """
    return "A person takes over."


@env.tool
def cancel_pending_order(ctx: ws.Context, order_id: str, reason: str) -> Order:
    """Cancel a pending order, after the user agreed; what was paid goes back.

    Args:
        reason: no longer needed, or ordered by mistake.
    """
    order = _order(ctx, order_id, "pending")
    if reason not in ("no longer needed", "ordered by mistake"):
        raise ws.ToolError("The reason is 'no longer needed' or 'ordered by mistake'.")
    history = list(order["payment_history"])
    for paid in order["payment_history"]:
        _pay(ctx, order, paid["payment_method_id"], -paid["amount"])
        history.append(_payment("refund", paid["amount"], paid["payment_method_id"]))
    return _changed(ctx, order_id, status="cancelled", cancel_reason=reason, payment_history=history)


@env.tool
def modify_pending_order_address(
    ctx: ws.Context,
    order_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> Order:
    """Change where a pending order is sent to, after the user agreed."""
    _order(ctx, order_id, "pending", modified=True)
    return _changed(ctx, order_id, address=_address(address1, address2, city, state, country, zip))


@env.tool
def modify_pending_order_payment(ctx: ws.Context, order_id: str, payment_method_id: str) -> Order:
    """Let another payment method pay a pending order, after the user agreed."""
    order = _order(ctx, order_id, "pending", modified=True)
    _method(ctx, order, payment_method_id)
    history = order["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise ws.ToolError("Only an order with a single payment can be paid in another way.")
    amount, before = history[0]["amount"], history[0]["payment_method_id"]
    if before == payment_method_id:
        raise ws.ToolError(f"{before} has paid the order already.")
    _pay(ctx, order, payment_method_id, amount)
    _pay(ctx, order, before, -amount)
    moved = [_payment("payment", amount, payment_method_id), _payment("refund", amount, before)]
    return _changed(ctx, order_id, payment_history=history + moved)


@env.tool
def modify_pending_order_items(
    ctx: ws.Context, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> Order:
    """Replace items of a pending order by others of the same products, once and after the user agreed.

    Args:
        new_item_ids: for each item the one in its place.
        payment_method_id: pays the difference, or gets it back.
    """
    order = _order(ctx, order_id, "pending")
    if any(old == new for old, new in zip(item_ids, new_item_ids, strict=False)):
        raise ws.ToolError("An item cannot be replaced by itself.")
    pairs, difference = _replacements(ctx, order, item_ids, new_item_ids)
    _pay(ctx, order, payment_method_id, difference)
    items = deepcopy(order["items"])
    for old, new in pairs:
        item = next((item for item in items if item["item_id"] == old), None)
        if item is None:
            raise ws.ToolError(f"The order has no item {old}.")
        # As in the original, where every item gets the price and the options of the last one.
        item.update(item_id=new["item_id"], price=pairs[-1][1]["price"], options=pairs[-1][1]["options"])
    paid = _payment("payment" if difference > 0 else "refund", abs(difference), payment_method_id)
    history = [*order["payment_history"], paid]
    return _changed(ctx, order_id, items=items, payment_history=history, status="pending (item modified)")


@env.tool
def exchange_delivered_order_items(
    ctx: ws.Context, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> Order:
    """Exchange items of a delivered order for others of the same products, once and after the user agreed.

    Args:
        new_item_ids: for each item the one in its place.
        payment_method_id: pays the difference, or gets it back.
    """
    order = _order(ctx, order_id, "delivered")
    _, difference = _replacements(ctx, order, item_ids, new_item_ids)
    _covered(_method(ctx, order, payment_method_id), round(difference, 2))
    return _changed(
        ctx,
        order_id,
        status="exchange requested",
        exchange_items=sorted(item_ids),
        exchange_new_items=sorted(new_item_ids),
        exchange_payment_method_id=payment_method_id,
        exchange_price_difference=round(difference, 2),
    )


@env.tool
def return_delivered_order_items(
    ctx: ws.Context, order_id: str, item_ids: list[str], payment_method_id: str
) -> Order:
    """Take items of a delivered order back, after the user agreed.

    Args:
        payment_method_id: gets the money: a gift card, or what paid the order.
    """
    order = _order(ctx, order_id, "delivered")
    source = _method(ctx, order, payment_method_id)["source"]
    if source != "gift_card" and payment_method_id != order["payment_history"][0]["payment_method_id"]:
        raise ws.ToolError("The money goes to a gift card or to what paid the order.")
    _has(order, item_ids)
    return _changed(
        ctx,
        order_id,
        status="return requested",
        return_items=sorted(item_ids),
        return_payment_method_id=payment_method_id,
    )


@env.tool
def modify_user_address(
    ctx: ws.Context, user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
) -> dict[str, Any]:
    """Change a user's own address, after the user agreed."""
    ctx["users"].update(user_id, address=_address(address1, address2, city, state, country, zip))
    return ctx["users"].get(user_id)


def _name_and_zip(user: dict[str, Any]) -> tuple[str, str, str]:
    name = user["name"]
    return name["first_name"].lower(), name["last_name"].lower(), user["address"]["zip"]


def _only(users: Iterable[dict[str, Any]]) -> str:
    found = next(iter(users), None)
    if found is None:
        raise ws.ToolError("There is no such user.")
    return str(found["user_id"])


def _name(product: dict[str, Any]) -> str:
    return str(product["name"])


_SIGNS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def _value(node: ast.AST) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.BinOp(left=left, op=sign, right=right):
            return _SIGNS[type(sign)](_value(left), _value(right))
        case ast.UnaryOp(op=sign, operand=operand):
            return _SIGNS[type(sign)](_value(operand))
    raise ValueError(node)


def _order(ctx: ws.Context, order_id: str, status: str, *, modified: bool = False) -> Order:
    """An order of a status; a pending one may have modified items, if asked."""
    order = ctx["orders"].get(order_id)
    if order["status"] != status and not (modified and status in order["status"]):
        raise ws.ToolError(f"The order is {order['status']}, not {status}.")
    return order


def _changed(ctx: ws.Context, order_id: str, **changes: Any) -> Order:
    ctx["orders"].update(order_id, **changes)
    return ctx["orders"].get(order_id)


def _address(address1: str, address2: str, city: str, state: str, country: str, zip: str) -> dict[str, str]:
    place = {"city": city, "state": state, "country": country, "zip": zip}
    return {"address1": address1, "address2": address2, **place}


def _payment(kind: str, amount: float, method_id: str) -> dict[str, Any]:
    return {"transaction_type": kind, "amount": amount, "payment_method_id": method_id}


def _method(ctx: ws.Context, order: Order, method_id: str) -> dict[str, Any]:
    methods = ctx["users"].get(order["user_id"])["payment_methods"]
    if method_id not in methods:
        raise ws.ToolError(f"The user has no payment method {method_id}.")
    return methods[method_id]


def _covered(method: dict[str, Any], amount: float) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ws.ToolError(f"{method['id']} has only {method['balance']} left.")


def _pay(ctx: ws.Context, order: Order, method_id: str, amount: float) -> None:
    """Take an amount from a gift card at once, or put it there; other methods pay elsewhere."""
    method = _method(ctx, order, method_id)
    _covered(method, amount)
    if method["source"] == "gift_card":
        methods = deepcopy(ctx["users"].get(order["user_id"])["payment_methods"])
        methods[method_id]["balance"] = round(method["balance"] - amount, 2)
        ctx["users"].update(order["user_id"], payment_methods=methods)


def _has(order: Order, item_ids: list[str]) -> None:
    there = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > there.count(item_id):
            raise ws.ToolError(f"The order does not have so many items {item_id}.")


def _replacements(
    ctx: ws.Context, order: Order, item_ids: list[str], new_item_ids: list[str]
) -> tuple[list[tuple[str, dict[str, Any]]], float]:
    """Items with those in their place, and how much more these cost."""
    _has(order, item_ids)
    if len(item_ids) != len(new_item_ids):
        raise ws.ToolError("Each item needs one in its place.")
    by_id = {item["item_id"]: item for item in reversed(order["items"])}
    pairs, difference = [], 0.0
    for old, new in zip(item_ids, new_item_ids, strict=True):
        variant = ctx["products"].get(by_id[old]["product_id"])["variants"].get(new)
        if variant is None or not variant["available"]:
            raise ws.ToolError(f"There is no item {new} of this product left.")
        pairs.append((old, variant))
        difference += variant["price"] - by_id[old]["price"]
    return pairs, difference
