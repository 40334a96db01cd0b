"""What a checked query comes to: SQL, and how its rows become records."""

from __future__ import annotations

from dataclasses import dataclass

from tools.kinds.crm.schema import FieldType
from tools.kinds.crm.soql.literals import Cell


@dataclass(frozen=True)
class Output:
    """A value of a record.

    Attributes:
        path: the parents in which it stands; none for the record's own.
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
        index: the place of its id in the row; null where there is no such parent.
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
        shown: what a record consists of, in order.
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
    """Rows of aggregates."""

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
