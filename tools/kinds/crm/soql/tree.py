"""The parts of a parsed statement. Every part has its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LiteralKind = Literal["string", "number", "boolean", "null", "date", "datetime", "period"]
Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "LIKE"]


@dataclass(frozen=True, slots=True)
class Path:
    """A field, perhaps of a parent: `Owner.Name`."""

    parts: tuple[str, ...]
    offset: int

    @property
    def text(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of a field. `function`: in capitals. `argument`: None for COUNT()."""

    function: str
    argument: Path | None
    offset: int

    @property
    def text(self) -> str:
        return f"{self.function}({self.argument.text if self.argument else ''})"


Expression = Path | Call


@dataclass(frozen=True, slots=True)
class Value:
    """A literal.

    Attributes:
        text: of a string its value, else as written; of a period its name in capitals.
        pattern: of a string, for LIKE.
        count: the n of a period like LAST_N_DAYS:n.
    """

    kind: LiteralKind
    text: str
    offset: int
    pattern: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """`left operator value`."""

    left: Expression
    operator: Comparison
    value: Value
    offset: int


@dataclass(frozen=True, slots=True)
class Member:
    """`left IN (values)`."""

    left: Expression
    negated: bool
    values: tuple[Value, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Includes:
    """`left INCLUDES (values)`, of multi-select picklists."""

    left: Expression
    operator: str
    offset: int


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """`left IN (SELECT ...)`."""

    left: Expression
    negated: bool
    query: Query
    offset: int


@dataclass(frozen=True, slots=True)
class Not:
    inner: Condition
    offset: int


@dataclass(frozen=True, slots=True)
class Chain:
    connector: Literal["AND", "OR"]
    parts: tuple[Condition, ...]
    offset: int


Condition = Compare | Member | Includes | SemiJoin | Not | Chain


@dataclass(frozen=True, slots=True)
class Item:
    """A selected field or function, with its alias."""

    expression: Expression
    alias: str
    offset: int


@dataclass(frozen=True, slots=True)
class AllFields:
    """`FIELDS(ALL)`, `FIELDS(STANDARD)` or `FIELDS(CUSTOM)`."""

    which: str
    offset: int


@dataclass(frozen=True, slots=True)
class ChildSelect:
    query: Query
    offset: int


Selected = Item | AllFields | ChildSelect


@dataclass(frozen=True, slots=True)
class Order:
    expression: Expression
    descending: bool
    nulls_last: bool
    offset: int


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    offset: int


@dataclass(frozen=True, slots=True)
class Clauses:
    """What may follow the source, in a SOQL query or in a RETURNING of SOSL.

    Attributes:
        source: name of the object or of the child relationship.
        source_offset: where it is written.
    """

    source: str
    source_offset: int
    alias: str = ""
    where: Condition | None = None
    group: tuple[Expression, ...] = ()
    having: Condition | None = None
    order: tuple[Order, ...] = ()
    limit: Number | None = None
    skip: Number | None = None

    @property
    def page(self) -> tuple[int | None, int]:
        """LIMIT and OFFSET."""
        return (self.limit.value if self.limit else None), (self.skip.value if self.skip else 0)


@dataclass(frozen=True, slots=True)
class Query:
    selected: tuple[Selected, ...]
    clauses: Clauses
    offset: int
