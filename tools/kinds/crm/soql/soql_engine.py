"""Running queries over a world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import apsw

from worksmith.tools.kinds.crm.schema import Schema, crm_schema
from worksmith.tools.kinds.crm.soql.compiler import compile_query
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.filters import LOWER, MAX_PATTERN
from worksmith.tools.kinds.crm.soql.parser import parse
from worksmith.tools.kinds.crm.soql.results import (
    AggregatePlan,
    Children,
    CountPlan,
    Plan,
    Record,
    RecordPlan,
    aggregate_record,
    child_result,
    record,
)
from worksmith.tools.kinds.crm.soql.where import Setting
from worksmith.tools.sqlite.bounds import Bounds, TooMuchError, bounded


@dataclass(frozen=True)
class Limits:
    """What a query may cost.

    Attributes:
        rows: records of the result, children included.
        values: of all these records together.
        seconds: time in the database.
    """

    rows: int = 50_000
    values: int = 1_000_000
    seconds: float = 10.0


@dataclass(frozen=True)
class QueryResult:
    """The records that a query found, in the shape of the platform's answers.

    Attributes:
        total_size: how many; of COUNT(), the count, with no records.
        records: each with its `attributes`, parents as records within it, children as results within it.
    """

    total_size: int
    records: list[Record]

    def body(self) -> dict[str, Any]:
        return {"totalSize": self.total_size, "done": True, "records": self.records}


class Soql:
    """Runs SOQL on one connection, which it only reads.

    Args:
        connection: to a database with the tables of a CRM world.
        today: what TODAY and other date literals refer to. Never the machine's clock.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        today: date,
        *,
        schema: Schema | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.setting = Setting(schema or crm_schema(), today)
        self._connection = connection
        self._limits = limits or Limits()

    def query(self, statement: str) -> QueryResult:
        """The result of `statement`.

        Raises:
            QueryError: with the code, message and place that the platform would give.
        """
        try:
            return self.run(compile_query(parse(statement), self.setting))
        except QueryError as error:
            raise error.within(statement) from None

    def run(self, plan: Plan) -> QueryResult:
        if _folds(plan):
            self._connection.create_scalar_function(LOWER, _lower, 1, deterministic=True)
        room = _Room(self._limits)
        # No function makes texts longer and no join multiplies rows, so that time is all that can run out.
        bounds = Bounds(
            steps=2**62,
            seconds=self._limits.seconds,
            cell=2**30,
            pattern=4 * MAX_PATTERN,
            storage=None,
            tick=20_000,
        )
        try:
            with bounded(self._connection, bounds, "query"):
                match plan:
                    case CountPlan():
                        return QueryResult(self._count(plan), [])
                    case AggregatePlan():
                        found = [aggregate_record(plan, row) for row in self._rows(plan, room)]
                    case RecordPlan():
                        found = self._records(plan, room)
                return QueryResult(len(found), found)
        except TooMuchError:
            raise too_slow() from None

    def _count(self, plan: CountPlan) -> int:
        limit = -1 if plan.limit is None else plan.limit
        sql = f"SELECT COUNT(*) FROM ({plan.sql} LIMIT ? OFFSET ?)"
        count: int = self._connection.execute(sql, (*plan.parameters, limit, plan.skip)).get
        return count

    def _rows(self, plan: AggregatePlan | RecordPlan, room: _Room) -> list[tuple[Any, ...]]:
        width = len(plan.shown)
        most = room.most(width) + 1
        limit = most if plan.limit is None else min(plan.limit, most)
        parameters = (*plan.parameters, limit, plan.skip)
        found: list[Any] = self._connection.execute(f"{plan.sql} LIMIT ? OFFSET ?", parameters).fetchall()
        room.take(len(found), width)
        return found

    def _records(self, plan: RecordPlan, room: _Room) -> list[Record]:
        rows = self._rows(plan, room)
        keys = [row[plan.id_index] for row in rows]
        inner = [shown for shown in plan.shown if isinstance(shown, Children)]
        children = {each.name: self._children(each, keys, room) for each in inner}
        return [
            record(plan, row, {name: child_result(of.get(key)) for name, of in children.items()})
            for key, row in zip(keys, rows, strict=True)
        ]

    def _children(self, children: Children, parents: list[str], room: _Room) -> dict[str, list[Record]]:
        plan = children.plan
        last = None if children.limit is None else children.skip + children.limit
        rows: dict[str, list[Sequence[Any]]] = {}
        for row in self._connection.execute(plan.sql, (*plan.parameters, json.dumps(parents))):
            siblings = rows.setdefault(row[0], [])
            if last is None or len(siblings) < last:
                siblings.append(row)
                room.take(1, len(plan.shown))
        return {key: [record(plan, row, {}) for row in of[children.skip :]] for key, of in rows.items()}


class _Room:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rows = limits.rows
        self._values = limits.values

    def most(self, width: int) -> int:
        return min(self._rows, self._values // max(1, width))

    def take(self, records: int, width: int) -> None:
        """Take it.

        Raises:
            QueryError: the room does not suffice.
        """
        self._rows -= records
        self._values -= records * width
        if self._rows < 0 or self._values < 0:
            message = (
                f"the result has more than {self._limits.rows} records or {self._limits.values} values; "
                "filter, aggregate, use LIMIT, or select fewer fields"
            )
            raise QueryError("OPERATION_TOO_LARGE", message)


def too_slow() -> QueryError:
    return QueryError("QUERY_TIMEOUT", "Your query request was running for too long.")


def _folds(plan: Plan) -> bool:
    """Whether the SQL compares letters that SQLite takes for different."""
    shown = () if isinstance(plan, CountPlan) else plan.shown
    inner = [each.plan for each in shown if isinstance(each, Children)]
    return any(LOWER in each.sql for each in (plan, *inner))


def _lower(*values: Any) -> Any:
    value = values[0]
    return value.lower() if isinstance(value, str) else value
