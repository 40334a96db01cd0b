"""Business operations: vendors, and the people who look after them."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.bizops import SUBAREA, representative, told_of, with_representative
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script

BOOK = Book("BizOps", "bizops.toml", departments=("BU",))


MANAGEMENT = ("MA",)
"""Vendors are theirs."""


def draw_vendor_terms(scene: Scene) -> Draw | None:
    """A vendor by id, and the terms."""
    vendor = scene.pick("vendors")
    told = told_of(scene, "vendors", vendor)
    if vendor is None or not {"contract_end", "lead_time"} <= told.keys():
        return None
    answer = [entities.date(told["contract_end"]), entities.number(int(told["lead_time"]))]
    return scene.draw({"vendor": vendor["vendor_id"]}, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_vendor_terms, departments=MANAGEMENT, denials=("wrong_department",))
def vendor_terms(slots: Slots, call: Script) -> Values:
    """Read what is written of the vendor."""
    vendor = call.one("vendors", "I open that vendor's record.", vendor_id=slots["vendor"])
    return call.fact(vendor, "contract_end"), call.fact(vendor, "lead_time")


def draw_vendor_contact(scene: Scene) -> Draw | None:
    """Who looks after a vendor."""
    found = with_representative(scene, "vendors")
    if found is None:
        return None
    vendor, person = found
    answer = [entities.person(person), entities.ident("email", person["email"])]
    slots = {"vendor": vendor["business_name"]}
    return scene.draw(slots, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_vendor_contact, departments=MANAGEMENT)
def vendor_contact(slots: Slots, call: Script) -> Values:
    """The vendor, then the directory."""
    person = representative(call, find_vendor(call, slots))
    return person["name"], person["email"]


def draw_vendor_manager(scene: Scene) -> Draw | None:
    """The end of the contract, and the manager of who looks after it."""
    found = with_representative(scene, "vendors")
    manager = scene.facts.manager(found[1]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    vendor, _ = found
    told = told_of(scene, "vendors", vendor)
    if "contract_end" not in told:
        return None
    answer = [
        entities.date(told["contract_end"]),
        entities.person(manager),
        entities.ident("email", manager["email"]),
    ]
    slots = {"vendor": vendor["business_name"]}
    return scene.draw(slots, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=3, draw=draw_vendor_manager, departments=MANAGEMENT)
def vendor_manager(slots: Slots, call: Script) -> Values:
    """The vendor, then two entries of the directory."""
    vendor = find_vendor(call, slots)
    end = call.fact(vendor, "contract_end")
    manager = manager_of(call, representative(call, vendor))
    return end, manager["name"], manager["email"]


def find_vendor(call: Script, slots: Slots) -> Row:
    """The vendor that the text names."""
    return call.one("vendors", "I look the vendor up.", business_name=slots["vendor"])
