"""Tools read and change records through the guard, which asks the policy."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.access import shop
from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.policy import AccessDeniedError
from worksmith.tools.tool_context import ToolContext

NEW = {"letter_id": "L9", "writer": "bob", "reader": "cy", "status": "open", "text": "new"}


def test_lists_are_filtered_and_single_reads_denied() -> None:
    guard = shop.guard()
    assert guard.keys("letters") == ["L1", "L3"]
    assert guard.count("letters", [("text LIKE ?", ["SECRET%"])]) == 0
    assert (
        guard.find("letters", [("status = ?", ["open"])], order="text DESC", limit=5)[0]["letter_id"] == "L1"
    )
    assert guard.get("letters", "L1")["text"] == "hello"
    with pytest.raises(AccessDeniedError) as denied:
        guard.get("letters", "L2")
    assert denied.value.decision.rule == "letters.read"
    assert "SECRET" not in str(denied.value)
    with pytest.raises(ToolError, match="there is no letter_id L7") as missing:
        guard.get("letters", "L7")
    assert not isinstance(missing.value, AccessDeniedError)


def test_private_fields_are_null_before_conditions_and_order_apply() -> None:
    guard = shop.guard()
    assert {row["id"]: row["pay"] for row in guard.find("staff")} == {
        "ann": None,
        "bob": "800",
        "cy": "700",
        "dee": None,
    }
    assert guard.keys("staff", [("pay > ?", ["0"])]) == ["bob", "cy"]
    assert guard.keys("staff", [("pay = ?", ["900"])]) == []
    by_pay = [row["id"] for row in guard.find("staff", order="pay DESC")]
    assert by_pay == ["bob", "cy", "ann", "dee"]  # dee earns less than ann; nothing shows it
    assert guard.withheld("staff", ["ann", "bob", "cy"]) == {"ann"}


def test_what_a_write_is_about_counts_as_quoted() -> None:
    """Whoever shows the call to others shows what the record says now, read before or not."""
    ctx = ToolContext(shop.database(), datetime(2022, 12, 31), shop.persona(), shop.policy())
    guard = Guard(ctx, shop.TABLES)
    guard.update("letters", "L3", {"text": "new"})
    assert ctx.reads == {"letters/L3"}
    guard.update("staff", "cy", {"pay": "1"})
    assert ctx.reads == {"letters/L3", "staff/cy", "staff#private/cy", "staff/*"}, "rules look at managers"
    with pytest.raises(AccessDeniedError):
        guard.update("letters", "L2", {"text": "new"})
    assert "letters/L2" in ctx.reads, "that it is there is what the denial tells"
    ctx.reads.clear()
    guard.delete("letters", "L3")
    assert ctx.reads == {"letters/L3"}


REFUSED: dict[str, Callable[[Guard], Any]] = {
    "write a letter as somebody else": lambda g: g.insert("letters", {**NEW, "writer": "ann"}),
    "write a letter as nobody": lambda g: g.insert("letters", {**NEW, "writer": None}),
    "change another's letter": lambda g: g.update("letters", "L1", {"text": "x"}),
    "change an unreadable letter": lambda g: g.update("letters", "L2", {"text": "x"}),
    "take a letter over": lambda g: g.update("letters", "L2", {"writer": "bob"}),
    "give a letter away": lambda g: g.update("letters", "L3", {"writer": "ann"}),
    "delete another's letter": lambda g: g.delete("letters", "L1"),
    "change what no rule names": lambda g: g.update("staff", "cy", {"name": "x"}),
    "change one field too many": lambda g: g.update("staff", "cy", {"pay": "1", "name": "x"}),
    "change the pay of a superior": lambda g: g.update("staff", "ann", {"pay": "1"}),
    "raise their own pay": lambda g: g.update("staff", "bob", {"pay": "1"}),
    "guess a pay by setting what may stand there": lambda g: g.update("staff", "dee", {"pay": "600"}),
    "become somebody's boss": lambda g: g.update("staff", "dee", {"boss": "bob"}),
    "put a person under them": lambda g: g.insert("staff", {"id": "eve", "boss": "bob"}),
    "add what nobody may add": lambda g: g.insert("vault", {"item": "v2"}),
    "delete with a right to update": lambda g: g.update("staff", "cy", {"pay": "1"}, operation="delete"),
}


@each_row("attempt", REFUSED.values())
def test_denied_changes_are_not_made(attempt: Callable[[Guard], Any]) -> None:
    connection = shop.database()
    with shop.unchanged(connection), pytest.raises(AccessDeniedError):
        attempt(shop.guard(connection=connection))


FAULTY: dict[str, Callable[[Guard], Any]] = {
    "no such record": lambda g: g.update("letters", "L7", {"text": "x"}),
    "nothing to delete": lambda g: g.delete("letters", "L7"),
    "no such field": lambda g: g.update("letters", "L3", {'text" = 1, "x': "x"}),
    "a key that is taken": lambda g: g.insert("letters", {**NEW, "letter_id": "L2"}),
    "no key": lambda g: g.insert("letters", {**NEW, "letter_id": None}),
    "another key": lambda g: g.update("letters", "L3", {"letter_id": "L7"}),
}


@each_row("attempt", FAULTY.values())
def test_faulty_changes_are_not_made(attempt: Callable[[Guard], Any]) -> None:
    connection = shop.database()
    with shop.unchanged(connection), pytest.raises(ToolError) as error:
        attempt(shop.guard(connection=connection))
    assert not isinstance(error.value, AccessDeniedError)


def test_allowed_changes_are_made() -> None:
    guard = shop.guard()
    guard.insert("letters", NEW)
    assert guard.get("letters", "L9") == NEW
    guard.update("letters", "L9", {"text": "newer", "reader": "ann"})
    assert guard.get("letters", "L9")["text"] == "newer"
    guard.delete("letters", "L9")
    assert guard.keys("letters") == ["L1", "L3"]
    guard.update("staff", "cy", {"pay": "1"})
    guard.update("staff", "bob", {"name": "Robert"})
    assert {row["id"]: (row["name"], row["pay"]) for row in guard.find("staff")}["cy"] == ("Cy", "1")


def test_nobody_can_be_somebody_else() -> None:
    """Who asks comes with the context; a record or condition that names another changes nothing."""
    guard = shop.guard(shop.persona("o'neil' OR '1'='1"))
    assert guard.keys("letters") == []
    assert guard.keys("letters", [("1 = 1) OR (1 = 1", [])]) == []
    assert guard.select("SELECT * FROM letters WHERE writer = 'ann' OR 1") == []


def test_a_decision_names_its_rule() -> None:
    guard = shop.guard()
    record = guard.get("staff", "cy")
    assert guard.allows("staff", "update", record, ["pay"]).rule == "S-PAY"
    denied = guard.allows("staff", "update", record, ["pay", "name"])
    assert (denied.allow, denied.rule) == (False, "staff.update")
    assert "name" in denied.reason
    # Without fields the question is about the whole record, which no rule for some fields allows.
    assert not guard.allows("staff", "update", record).allow
