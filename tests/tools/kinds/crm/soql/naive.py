"""What a query means, as plainly as possible: loops over records, no SQL, no code of the engine."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from tests.tools.kinds.crm.soql.model import Both, Cmp, Expr, In, Neg, Period, Select, Semi
from tests.tools.kinds.crm.soql.org import Org
from worksmith.tools.kinds.crm.schema import Schema

Record = dict[str, Any]

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UPPER = {ord(a): ord(a) + 32 for a in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


class Naive:
    """Evaluates queries over `org` on the day `today`."""

    def __init__(self, schema: Schema, org: Org, today: date) -> None:
        self.schema = schema
        self.org = org
        self.today = today
        self.by_id = {record["Id"]: record for records in org.values() for record in records}

    def count(self, query: Select) -> int:
        found = [r for r in self.org[query.object] if self.holds(query.where, query.object, r)]
        return len(_page(found, query))

    def run(self, query: Select, among: list[Record] | None = None) -> list[Record]:
        records = self.org[query.object] if among is None else among
        found = [r for r in records if self.holds(query.where, query.object, r)]
        if query.group or any(isinstance(i, Expr) and i.function for i in query.items):
            return self.grouped(query, found)
        for key in reversed(query.order):
            found = _sorted(found, lambda r, key=key: self.value(key.expr, query.object, r), key)  # type: ignore[misc]
        return [self.shown(query, record) for record in _page(found, query)]

    def shown(self, query: Select, record: Record) -> Record:
        result: Record = {}
        for item in query.items:
            if isinstance(item, tuple):
                result[item[0]] = self.children(query.object, item[0], item[1], record)
                continue
            holder: Record | None = result
            for depth, name in enumerate(item.path[:-1]):
                assert holder is not None
                parent = self.follow(query.object, record, item.path[: depth + 1])
                holder = holder.setdefault(name, None if parent is None else {})
                if holder is None:
                    break
            if holder is not None:
                holder[item.path[-1]] = printed(self.value(item, query.object, record))
        return result

    def children(self, parent: str, relationship: str, query: Select, record: Record) -> list[Record] | None:
        child = self.schema.child(parent, relationship)
        assert child is not None
        own = [r for r in self.org[child.object] if r[child.field.name] == record["Id"]]
        return self.run(query, own) or None

    def grouped(self, query: Select, found: list[Record]) -> list[Record]:
        groups: dict[tuple[Any, ...], list[Record]] = {} if query.group else {(): []}
        for record in found:
            key = tuple(fold(self.value(expr, query.object, record)) for expr in query.group)
            groups.setdefault(key, []).append(record)
        kept = [g for g in groups.values() if self.holds(query.having, query.object, g)]
        for expr in reversed(query.group):
            kept = _sorted(kept, lambda g, e=expr: self.summed(e, query.object, g), None)  # type: ignore[misc]
        for order in reversed(query.order):
            kept = _sorted(kept, lambda g, k=order: self.summed(k.expr, query.object, g), order)  # type: ignore[misc]
        rows = []
        for group in _page(kept, query):
            row: Record = {}
            for item in query.items:
                name = f"expr{sum(n.startswith('expr') for n in row)}" if item.function else item.path[-1]
                row[name] = printed(self.summed(item, query.object, group))
            rows.append(row)
        return rows

    def summed(self, expr: Expr, name: str, group: list[Record]) -> Any:
        """The value of an expression for a group."""
        values = [self.value(Expr(expr.path), name, r) for r in group]
        there = [v for v in values if v is not None]
        match expr.function:
            case "COUNT":
                return len(there)
            case "COUNT_DISTINCT":
                return len({fold(v) for v in there})
            case "SUM":
                return sum(there) if there else None
            case "AVG":
                return sum(there) / len(there) if there else None
            case "MIN" | "MAX":
                return (min if expr.function == "MIN" else max)(there, key=fold, default=None)
            case "":
                return min((v for v in there), default=None)
            case _:
                return self.value(expr, name, group[0])

    def holds(self, condition: Any, name: str, record: Any) -> bool:
        """Whether a record, or in HAVING a group of records, meets a condition."""
        match condition:
            case None:
                return True
            case Neg():
                return not self.holds(condition.inner, name, record)
            case Both():
                each = (self.holds(part, name, record) for part in condition.parts)
                return all(each) if condition.connector == "AND" else any(each)
            case Semi():
                inner = {
                    r[condition.field]
                    for r in self.org[condition.object]
                    if self.holds(condition.where, condition.object, r)
                } - {None}
                value = self.value(condition.left, name, record)
                return (value is None or value not in inner) if condition.negated else value in inner
        of_group = isinstance(record, list)
        left = (self.summed if of_group else self.value)(condition.left, name, record)
        if left is None and self.is_boolean(condition.left, name):
            values = condition.values if isinstance(condition, In) else (condition.value,)
            left = None if None in values else False
        match condition:
            case Cmp():
                return self.compares(left, condition.operator, condition.value)
            case In():
                found = any(self.compares(left, "=", value) for value in condition.values)
                return not found if condition.negated else found
        raise TypeError(condition)

    def compares(self, left: Any, op: str, right: Any) -> bool:
        if op == "!=":
            return not self.compares(left, "=", right)
        if right is None:
            return left is None
        if left is None:
            return False
        if op == "LIKE":
            return like(left, right)
        if isinstance(right, Period):
            unit, first, last = self.units(right)
            left_unit = unit(left.date() if isinstance(left, datetime) else left)
            return {
                "=": first <= left_unit <= last,
                "<": left_unit < first,
                "<=": left_unit <= last,
                ">": left_unit > last,
                ">=": left_unit >= first,
            }[op]
        if isinstance(right, str) and not right.isascii():
            return _OPERATORS[op](left.lower(), right.lower())
        return _OPERATORS[op](fold(left), fold(right))

    def units(self, period: Period) -> tuple[Callable[[date], int], int, int]:
        """A numbering of days, weeks, months ..., and the first and last number that the period covers."""
        name, count = period.name, period.count or 0
        unit = next(u for u in ("DAY", "WEEK", "MONTH", "QUARTER", "YEAR") if u in name or name in _DAYS)
        number = _NUMBERING[unit]
        now = number(self.today)
        if name in _DAYS:
            return number, now + _DAYS[name], now + _DAYS[name]
        if "90" in name:
            count, name = 90, name.replace("90", "N")
        if name.endswith("_AGO"):
            return number, now - count, now - count
        if "_N_" in name and name.startswith("LAST"):
            return number, now - count, now if unit == "DAY" else now - 1
        if "_N_" in name:
            return number, now + 1, now + count
        shift = {"LAST": -1, "THIS": 0, "NEXT": 1}[name.split("_")[0]]
        return number, now + shift, now + shift

    def is_boolean(self, expr: Expr, name: str) -> bool:
        owner = self.schema.object(name)
        for part in expr.path[:-1]:
            assert owner is not None
            link = owner.parent(part)
            assert link is not None
            owner = self.schema.object(link.targets[0])
        assert owner is not None
        field = owner.field(expr.path[-1])
        return field is not None and field.type == "boolean" and not expr.function

    def value(self, expr: Expr, name: str, record: Record) -> Any:
        holder = self.follow(name, record, expr.path[:-1])
        value = None if holder is None else holder[expr.path[-1]]
        return value if value is None or not expr.function else _PARTS[expr.function](value)

    def follow(self, name: str, record: Record | None, path: tuple[str, ...]) -> Record | None:
        for part in path:
            owner = self.schema.object(name)
            assert owner is not None
            link = owner.parent(part)
            assert link is not None
            record = None if record is None else self.by_id.get(record[link.name])
            name = link.targets[0]
        return record


def fold(value: Any) -> Any:
    """A value as it compares."""
    return value.translate(_UPPER) if isinstance(value, str) else value


def like(text: str, parts: tuple[str, ...]) -> bool:
    """Whether a text fits a pattern."""
    wild = {"%": ".*", "_": "."}
    flags = re.DOTALL | re.IGNORECASE
    if "".join(parts).isascii():
        flags |= re.ASCII
    return re.fullmatch("".join(wild.get(p) or re.escape(p) for p in parts), text, flags) is not None


def printed(value: Any) -> Any:
    """A value as results show it."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.000+0000")
    return value.isoformat() if isinstance(value, date) else value


def _page(found: list[Any], query: Select) -> list[Any]:
    rest = found[query.offset or 0 :]
    return rest if query.limit is None else rest[: query.limit]


def _sorted(found: list[Any], of: Callable[[Any], Any], key: Any) -> list[Any]:
    nulls = [each for each in found if of(each) is None]
    rest = [each for each in found if of(each) is not None]
    rest.sort(key=lambda each: fold(of(each)), reverse=bool(key and key.descending))  # stable both ways
    return rest + nulls if key and key.nulls_last else nulls + rest


_DAYS = {"YESTERDAY": -1, "TODAY": 0, "TOMORROW": 1}
_NUMBERING: dict[str, Callable[[date], int]] = {
    "DAY": date.toordinal,
    "WEEK": lambda d: d.toordinal() // 7,  # ordinal 7 is a Sunday
    "MONTH": lambda d: d.year * 12 + d.month,
    "QUARTER": lambda d: d.year * 4 + (d.month - 1) // 3,
    "YEAR": lambda d: d.year,
}
_PARTS: dict[str, Callable[[Any], Any]] = {
    "CALENDAR_YEAR": lambda d: d.year,
    "CALENDAR_QUARTER": lambda d: (d.month - 1) // 3 + 1,
    "CALENDAR_MONTH": lambda d: d.month,
    "FISCAL_YEAR": lambda d: d.year,
    "DAY_IN_MONTH": lambda d: d.day,
    "DAY_IN_WEEK": lambda d: d.isoweekday() % 7 + 1,
    "DAY_IN_YEAR": lambda d: d.timetuple().tm_yday,
    "WEEK_IN_MONTH": lambda d: (d.day - 1) // 7 + 1,
    "WEEK_IN_YEAR": lambda d: (d.timetuple().tm_yday - 1) // 7 + 1,
    "HOUR_IN_DAY": lambda d: d.hour,
    "DAY_ONLY": lambda d: d.date(),
}
