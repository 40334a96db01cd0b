"""The plan to move a world to an org: the order, the losses, the obstacles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.live.target import Target
from worksmith.tools.kinds.crm.rest.rules import rules
from worksmith.tools.kinds.crm.schema import IDS, OBJECTS, TABLES, CrmObject, crm_schema
from worksmith.tools.world import World

Row = dict[str, str | None]
Constants = Mapping[str, Mapping[str, str]]
"""By object and field the value of every record, such as the id of a profile of the org."""

PER_REQUEST = 200
"""Records of one request, as the platform bounds it."""

LATER = {"Order": {"Status": "Draft"}}
"""Fields that begin with another value: an order that is activated takes no more items."""

_SHARED = frozenset({"User"})
"""Objects that no org is without."""


@dataclass
class ObjectPlan:
    """What becomes of one object.

    Attributes:
        rows: records to be made.
        matched: records that the org has, or makes by itself.
        sent: fields that records are made with.
        lost: fields with values in the world, and why the org does not get them.
        left: the same of fields that are of no use in another org.
        needed: fields that the org asks for and the world has not.
        already: records that the org has.
        absent: whether the org has no such object.
    """

    entity: CrmObject
    rows: list[Row]
    matched: list[Row] = field(default_factory=list)
    sent: tuple[str, ...] = ()
    lost: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    already: int = 0
    absent: bool = False

    @property
    def name(self) -> str:
        return self.entity.name

    @property
    def requests(self) -> int:
        return -(-len(self.rows) // PER_REQUEST)

    def to_json(self) -> dict[str, Any]:
        return {
            "object": self.name,
            "records": len(self.rows),
            "matched": len(self.matched),
            "already": self.already,
            "requests": self.requests,
            "sent": list(self.sent),
            "lost": dict(self.lost),
            "left": dict(self.left),
            "needed": list(self.needed),
            "absent": self.absent,
        }


@dataclass(frozen=True)
class UploadPlan:
    """A whole upload, objects in an order with referents first."""

    objects: tuple[ObjectPlan, ...]
    constants: Constants

    def obstacles(self, *, despite_losses: bool, despite_records: bool) -> list[str]:
        """What stands against it, in sentences.

        Args:
            despite_losses: go on though fields are lost.
            despite_records: go on though the org is not empty.
        """
        found: list[str] = []
        for each in self.objects:
            if each.absent and each.rows:
                found.append(f"{each.name}: the org has no such object, or takes no records of it")
            if each.needed:
                listed = ", ".join(f"--set {each.name}.{name}=..." for name in each.needed)
                found.append(f"{each.name}: the org needs values that the world has not; {listed}")
            if each.lost and not despite_losses:
                listed = ", ".join(f"{name} ({why})" for name, why in each.lost.items())
                found.append(f"{each.name}: lost would be {listed}; --allow-losses goes on without")
            if each.already and each.name not in _SHARED and not despite_records:
                found.append(f"{each.name}: the org has {each.already:,} already; --into-used adds to them")
        return found


def make_plan(world: World, target: Target, constants: Constants) -> UploadPlan:
    """The plan to move `world` to `target`.

    Raises:
        InputError: a constant names what there is not.
        InfrastructureError: the org does not answer.
    """
    rows = _rows(world)
    _check_constants(constants, target)
    brings = "PersonContactId" in (target.fields("Account") or ())
    brought = {row["PersonContactId"] for row in rows["Account"]} if brings else set()
    plans = {}
    for name, entity in OBJECTS.items():
        own = rows[name]
        matched = [row for row in own if _is_matched(name, row, brought)]
        kept = [row for row in own if not _is_matched(name, row, brought)]
        plans[name] = _object_plan(target, ObjectPlan(entity, kept, matched), constants.get(name, {}))
    return UploadPlan(tuple(plans[name] for name in _order(plans)), constants)


def _rows(world: World) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {t.name: list(world.rows(t.name, t.columns)) for t in TABLES}
    standard = {row["Id"] for row in found["Pricebook2"] if row["IsStandard"] == "true"}
    # A product has its standard price before any other.
    found["PricebookEntry"].sort(key=lambda row: row["Pricebook2Id"] not in standard)
    return found


def _is_matched(name: str, row: Row, brought: set[str | None]) -> bool:
    if name == "Pricebook2":
        return row["IsStandard"] == "true"
    return name == "Contact" and row["Id"] in brought


def _object_plan(target: Target, plan: ObjectPlan, constants: Mapping[str, str]) -> ObjectPlan:
    known = target.fields(plan.name)
    if known is None:
        plan.absent = True
        return plan
    plan.already = target.count(plan.name)
    sent = []
    for each in plan.entity.queryable:
        if each.name in constants or not _misses(plan, each.name):
            continue
        if each.type in IDS and not each.targets:
            plan.left[each.name] = "holds ids of records that no world has"
        elif each.name not in known:
            plan.lost[each.name] = "the org has no such field"
        elif not known[each.name].settable:
            plan.lost[each.name] = "the org lets nobody set it"
        else:
            sent.append(each.name)
    plan.sent = tuple(sent)
    if any(row["OwnerId"] for row in plan.matched if "OwnerId" in row):
        plan.left["OwnerId"] = "is that of the account, where a contact comes with one"
    if plan.rows:
        always = {name for name in sent if all(row[name] is not None for row in plan.rows)} | set(constants)
        plan.needed = tuple(each.name for each in known.values() if each.needed and each.name not in always)
    return plan


def _misses(plan: ObjectPlan, name: str) -> bool:
    """Whether records would lack one of their values without it."""
    made_up = name == "Id" or name in rules(plan.name).made
    return not made_up and any(row[name] is not None for row in plan.rows)


def _order(plans: Mapping[str, ObjectPlan]) -> list[str]:
    """Names of objects, referents first."""
    lookup = crm_schema("lookup")
    needs: dict[str, set[str]] = {}
    for name, plan in plans.items():
        whole = lookup.object(name)
        assert whole is not None
        fields = [whole.field(sent) for sent in plan.sent]
        needs[name] = {target for each in fields if each for target in each.targets if target in plans}
    needs["Contact"].add("Account")  # what accounts bring is known only then
    order: list[str] = []
    while len(order) < len(plans):
        ready = [name for name in plans if name not in order and needs[name] <= {*order, name}]
        assert ready  # no fields that can be set refer to each other in a circle
        order += ready
    return order


def _check_constants(constants: Constants, target: Target) -> None:
    for name, fields in constants.items():
        if name not in OBJECTS:
            raise InputError(f"no object {name!r}", where="--set", hint=f"there are {', '.join(OBJECTS)}")
        known = target.fields(name) or {}
        for each in fields:
            if each not in known or not known[each].settable:
                raise InputError(f"the org lets nobody set {name}.{each}", where="--set")
