"""Plans of queries, and the records that their rows become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worksmith.tools.kinds.crm.schema import FieldType
from worksmith.tools.kinds.crm.soql.literals import Cell


@dataclass(frozen=True)
class Output:
    """A value of a record.

    Attributes:
        path: the parents in which it stands; empty for the record's own.
        index: its place in the row.
    """

    name: str
    path: tuple[str, ...]
    type: FieldType
    index: int


@dataclass(frozen=True)
class Parent:
    """A parent that a record shows.

    Attributes:
        index: the place of its id in the row; null where the parent is unknown.
    """

    object: str
    path: tuple[str, ...]
    index: int


@dataclass(frozen=True)
class Children:
    """A sub-select over the children of each record.

    Attributes:
        plan: its rows begin with the id of the parent; its SQL takes the parents' ids, a JSON list, last.
        limit: records for each parent.
    """

    name: str
    plan: RecordPlan
    limit: int | None
    skip: int


@dataclass(frozen=True)
class RecordPlan:
    """Records with their fields.

    Attributes:
        sql: without LIMIT and OFFSET.
        id_index: the place of the record's id in the row.
        shown: the parts of a record, in order.
    """

    object: str
    sql: str
    parameters: tuple[Cell, ...]
    id_index: int
    shown: tuple[Output | Children, ...]
    parents: tuple[Parent, ...]
    limit: int | None = None
    skip: int = 0


@dataclass(frozen=True)
class AggregatePlan:
    sql: str
    parameters: tuple[Cell, ...]
    shown: tuple[Output, ...]
    limit: int | None = None
    skip: int = 0


@dataclass(frozen=True)
class CountPlan:
    """COUNT(): how many, and no records. The SQL gives one row for each."""

    sql: str
    parameters: tuple[Cell, ...]
    limit: int | None = None
    skip: int = 0


Plan = RecordPlan | AggregatePlan | CountPlan


API_VERSION = "59.0"

Record = dict[str, Any]


def attributes(name: str, record_id: str) -> dict[str, str]:
    return {"type": name, "url": f"/services/data/v{API_VERSION}/sobjects/{name}/{record_id}"}


def value(kind: FieldType, cell: Any) -> Any:
    if cell is None:
        return None
    if kind == "boolean":
        return cell == "true"
    return cell


def record(plan: RecordPlan, row: Sequence[Any], children: Mapping[str, Any]) -> Record:
    """A row as a record. `children`: the results of the sub-selects, by name."""
    found: Record = {"attributes": attributes(plan.object, row[plan.id_index])}
    parents: dict[tuple[str, ...], Record | None] = {(): found}
    known = {parent.path: parent for parent in plan.parents}
    for shown in plan.shown:
        if isinstance(shown, Children):
            found[shown.name] = children[shown.name]
            continue
        for length in range(1, len(shown.path) + 1):
            path = shown.path[:length]
            if path not in parents:
                parent = known[path]
                parents[path] = _parent(parent.object, row[parent.index])
                holder = parents[path[:-1]]
                if holder is not None:
                    holder[path[-1]] = parents[path]
        holder = parents[shown.path]
        if holder is not None:
            holder[shown.name] = value(shown.type, row[shown.index])
    return found


def aggregate_record(plan: AggregatePlan, row: Sequence[Any]) -> Record:
    found: Record = {"attributes": {"type": "AggregateResult"}}
    for shown in plan.shown:
        found[shown.name] = value(shown.type, row[shown.index])
    return found


def child_result(records: list[Record] | None) -> dict[str, Any] | None:
    """The children of one record as a result within it; without records it is null."""
    return {"totalSize": len(records), "done": True, "records": records} if records else None


def plain(item: Any) -> Any:
    """Records without `attributes`, children as plain lists; what most readers want."""
    if isinstance(item, list):
        return [plain(each) for each in item]
    if not isinstance(item, dict):
        return item
    if "totalSize" in item and "records" in item:
        return plain(item["records"])
    return {name: plain(each) for name, each in item.items() if name != "attributes"}


def _parent(name: str, record_id: str | None) -> Record | None:
    return None if record_id is None else {"attributes": attributes(name, record_id)}
