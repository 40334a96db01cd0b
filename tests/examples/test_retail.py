"""The retail domain of tau2-bench, on a made-up checkout of its form, and on a real one if one is given."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import worksmith as ws
from examples.retail.convert import DOMAIN, TABLES, convert
from worksmith.evals.authoring.checking.check import repeated, task_findings
from worksmith.evals.authoring.checking.findings import Finding
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.tools.sqlite.schema import ROW

CHECKOUT = os.environ.get("TAU2_BENCH", "")
NEEDS = "TAU2_BENCH names no checkout of tau2-bench, whose data are not ours to keep"

HOME = {"address1": "1 Elm Road", "address2": "", "city": "Austin", "state": "TX", "zip": "73301"}
HOME |= {"country": "USA"}
CARD, GIFT = "credit_card_1000001", "gift_card_1000002"
USERS = {
    "mia_lind_1001": {
        "user_id": "mia_lind_1001",
        "name": {"first_name": "Mia", "last_name": "Lind"},
        "address": HOME,
        "email": "mia.lind@example.com",
        "payment_methods": {
            CARD: {"source": "credit_card", "id": CARD, "brand": "visa", "last_four": "1234"},
            GIFT: {"source": "gift_card", "id": GIFT, "balance": 50.0},
        },
        "orders": ["#W1000001", "#W1000002"],
    }
}
VARIANTS = {
    item: {"item_id": item, "options": {"color": color}, "available": True, "price": price}
    for item, color, price in (("2000000001", "red", 10.5), ("2000000002", "blue", 12.0))
}
PRODUCTS = {"3000000001": {"name": "Mug", "product_id": "3000000001", "variants": VARIANTS}}


def order(number: int, status: str) -> dict[str, Any]:
    return {
        "order_id": f"#W100000{number}",
        "user_id": "mia_lind_1001",
        "address": HOME,
        "items": [{"name": "Mug", "product_id": "3000000001", **VARIANTS["2000000001"]}],
        "status": status,
        "fulfillments": [],
        "payment_history": [{"transaction_type": "payment", "amount": 10.5, "payment_method_id": GIFT}],
    }


ORDERS = {each["order_id"]: each for each in (order(1, "pending"), order(2, "delivered"))}


def task(
    number: int, reason: str, tool: str, arguments: dict[str, Any], says: tuple[str, ...] = ()
) -> dict[str, Any]:
    told = {
        "reason_for_call": reason,
        "known_info": "You are Mia Lind in 73301.",
        "unknown_info": "You do not remember your email.",
        "task_instructions": "You are brief.",
    }
    return {
        "id": str(number),
        "user_scenario": {"instructions": told},
        "evaluation_criteria": {
            "actions": [{"name": tool, "arguments": arguments}],
            "communicate_info": list(says),
        },
    }


PENDING, DELIVERED = {"order_id": "#W1000001"}, {"order_id": "#W1000002"}
NEW = {**PENDING, **HOME, "address1": "2 Oak Road", "address2": "Flat 7"}
SWAP = {"item_ids": ["2000000001"], "new_item_ids": ["2000000002"], "payment_method_id": GIFT}
BACK = {**DELIVERED, "item_ids": ["2000000001"], "payment_method_id": CARD}
TASKS = [
    task(1, "You want a blue mug.", "modify_pending_order_items", {**PENDING, **SWAP}),
    task(2, "You moved.", "modify_pending_order_address", NEW, ("Flat 7",)),
    task(3, "You do not want it.", "cancel_pending_order", {**PENDING, "reason": "no longer needed"}),
    task(4, "You want the money on your card.", "return_delivered_order_items", BACK),
    task(5, "You ask what 10.5 + 12 is.", "calculate", {"expression": "10.5 + 12.0"}, ("22.5",)),
]


def checkout(folder: Path) -> Path:
    place = folder / DOMAIN
    place.mkdir(parents=True)
    tables = {"users": USERS, "products": PRODUCTS, "orders": ORDERS}
    for name, data in {"db": tables, "tasks": TASKS, "split_tasks": {"test": ["1", "2"]}}.items():
        (place / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    (place / "policy.md").write_text("Serve one customer at a time.", encoding="utf-8")
    return folder


def opened(source: Path, folder: Path) -> Suite:
    convert(source, folder)
    return Suite.open(folder)


def findings(suite: Suite) -> list[Finding]:
    scorers = scorers_for(suite.env)
    found = [each for task in suite.tasks for each in task_findings(suite.env, scorers, task)]
    return found + list(repeated(suite.tasks))


def scores(suite: Suite) -> tuple[float, float]:
    """The mean outcome and procedure of the gold plans."""
    agent = ws.Agent("act", suite.env, max_steps=50)
    summary = ws.evaluate(agent, suite.examples("all"), lm="gold", progress=False).summary
    return summary.scores["outcome"].value, summary.scores["procedure"].value


def state(suite: Suite, number: str) -> dict[str, dict[str, Any]]:
    """The tables after the gold plan of a task."""
    task = suite.task(f"retail-{number}")
    episode = suite.env.episode(user=task.user)
    for step in task.gold_plan or ():
        episode.call(step.tool, step.arguments)

    def read(connection: apsw.Connection) -> dict[str, dict[str, Any]]:
        return {name: dict(_rows(connection, name, key)) for name, key in TABLES.items()}

    return episode.edit(read)


def _rows(connection: apsw.Connection, name: str, key: str) -> Iterator[tuple[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM main.{name}")
    for row in cursor:
        named = dict(zip((column[0] for column in cursor.get_description()), row, strict=True))
        yield named[key], {column: _read(cell) for column, cell in named.items() if column != ROW}


def _to_cents(value: Any) -> Any:
    """Amounts without the noise of sums in another order, and absent columns as empty ones."""
    match value:
        case float():
            return round(value, 6)
        case list():
            return [_to_cents(each) for each in value]
        case dict():
            return {name: _to_cents(each) for name, each in value.items() if each is not None}
    return value


def _read(cell: Any) -> Any:
    return json.loads(cell) if isinstance(cell, str) and cell[:1] in ("[", "{") else cell


def test_a_made_up_checkout_becomes_conversations(tmp_path: Path) -> None:
    suite = opened(checkout(tmp_path / "checkout"), tmp_path / "retail")

    assert [(each.level, each.task, each.part) for each in findings(suite)] == [
        ("wrong", "retail-4", "plan.5"),  # the original's own right call fails: a card did not pay the order
        ("wrong", "retail-4", "changes"),
    ]
    assert scores(suite) == (1, 1)
    assert suite.tasks[0].query == "A customer writes: I want a blue mug."
    user = suite.task("retail-2").user
    assert user is not None
    assert user.facts["new address"] == ("2 Oak Road", "Flat 7", "Austin", "TX", "73301", "USA")
    swapped, cancelled = state(suite, "1"), state(suite, "3")
    assert swapped["orders"]["#W1000001"]["items"][0]["options"] == {"color": "blue"}
    assert swapped["users"]["mia_lind_1001"]["payment_methods"][GIFT]["balance"] == 48.5
    assert cancelled["users"]["mia_lind_1001"]["payment_methods"][GIFT]["balance"] == 60.5


def test_a_folder_without_the_domain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is no checkout of tau2-bench"):
        convert(tmp_path, tmp_path / "retail")
    assert not (tmp_path / "retail").exists()


@pytest.mark.slow
@pytest.mark.skipif(not CHECKOUT, reason=NEEDS)
def test_the_original_is_done_by_gold_with_its_own_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = opened(Path(CHECKOUT), tmp_path / "retail")
    found = findings(suite)
    wrong = [each for each in found if each.level == "wrong"]

    assert scores(suite) == (1, 1)
    fails = {each.task for each in wrong if " ends as " in each.said}
    assert {each.task for each in wrong} == fails
    assert not any("conversation" in each.said or "the value" in each.said for each in found)

    monkeypatch.syspath_prepend(str(Path(CHECKOUT) / "src"))
    try:
        theirs = importlib.import_module("tau2.domains.retail.tools")
        models = importlib.import_module("tau2.domains.retail.data_model")
    except ImportError as error:
        pytest.skip(f"the original's tools cannot be imported, so its states are not compared: {error}")
    data = models.RetailDB.load(str(Path(CHECKOUT) / DOMAIN / "db.json"))
    tasks = json.loads((Path(CHECKOUT) / DOMAIN / "tasks.json").read_text(encoding="utf-8"))
    failing = set()
    for each in tasks:
        tools = theirs.RetailTools(data.model_copy(deep=True))
        for action in each["evaluation_criteria"]["actions"] or []:
            try:
                getattr(tools, action["name"])(**action["arguments"])
            except ValueError:
                failing.add(each["id"])
        assert _to_cents(state(suite, each["id"])) == _to_cents(tools.db.model_dump()), each["id"]
    assert fails == {f"retail-{name}" for name in failing}
