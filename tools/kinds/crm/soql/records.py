"""The shape of results: records as the platform's REST API gives them, and without its trimmings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.kinds.crm.schema import FieldType
from tools.kinds.crm.soql.plans import AggregatePlan, Children, RecordPlan

API_VERSION = "59.0"

Record = dict[str, Any]


def attributes(name: str, record_id: str) -> dict[str, str]:
    """What every record says about itself."""
    return {"type": name, "url": f"/services/data/v{API_VERSION}/sobjects/{name}/{record_id}"}


def value(kind: FieldType, cell: Any) -> Any:
    """A cell as a JSON value."""
    if cell is None:
        return None
    if kind == "boolean":
        return cell == "true"
    return cell


def record(plan: RecordPlan, row: Sequence[Any], children: Mapping[str, Any]) -> Record:
    """A row as a record.

    Args:
        children: the results of the sub-selects, by name.
    """
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
    """A row of aggregates as a record."""
    found: Record = {"attributes": {"type": "AggregateResult"}}
    for shown in plan.shown:
        found[shown.name] = value(shown.type, row[shown.index])
    return found


def child_result(records: list[Record] | None) -> dict[str, Any] | None:
    """The children of one record as a result within it; none at all are null."""
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
