"""The rest of a rule once the persona is known: a condition on the record alone.

A rule speaks of persona and record; the persona is the same for thousands of records. Everything about the
persona is decided here, once, and what remains needs only a few kinds of node. All three compiled forms start
from these, so that a predicate means the same in each.
"""

from __future__ import annotations

from dataclasses import dataclass

from worksmith.tools.access.values import Stored


@dataclass(frozen=True, slots=True)
class Constant:
    """Holds for every record, or for no record."""

    value: bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field's value is one of these, which are of the column's type; NULL is none of them."""

    field: str
    values: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Under:
    """The field's value, of a column of numbers, is less than this; NULL is not."""

    field: str
    limit: int


@dataclass(frozen=True, slots=True)
class Both:
    """Every part holds; two parts at least."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Some part holds; two parts at least."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Opposite:
    """The part does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Related:
    """Some record of `source`, equal in the joined columns (here, there), meets `condition`.

    Attributes:
        indexed: whether `source` has an index on a joined column.
    """

    source: str
    on: tuple[tuple[str, str], ...]
    condition: Condition
    indexed: bool = False


@dataclass(frozen=True, slots=True)
class Below:
    """The employee in `field` is below `manager`, in the records of `source`."""

    field: str
    manager: Stored
    source: str
    id_field: str
    manager_field: str


Condition = Constant | OneOf | Under | Both | Either | Opposite | Related | Below

ALWAYS = Constant(True)
NEVER = Constant(False)


def both(parts: list[Condition]) -> Condition:
    """All of these, simplified."""
    if NEVER in parts:
        return NEVER
    left = tuple(dict.fromkeys(part for part in parts if part != ALWAYS))
    return ALWAYS if not left else left[0] if len(left) == 1 else Both(left)


def either(parts: list[Condition]) -> Condition:
    """Any of these, simplified."""
    if ALWAYS in parts:
        return ALWAYS
    left = tuple(dict.fromkeys(part for part in parts if part != NEVER))
    return NEVER if not left else left[0] if len(left) == 1 else Either(left)


def opposite(part: Condition) -> Condition:
    """Not this, simplified."""
    return Constant(not part.value) if isinstance(part, Constant) else Opposite(part)


def tables_of(condition: Condition) -> frozenset[str]:
    """The tables that a condition looks at, besides the record itself."""
    match condition:
        case Both() | Either():
            return frozenset().union(*map(tables_of, condition.parts))
        case Opposite():
            return tables_of(condition.part)
        case Related():
            return tables_of(condition.condition) | {condition.source}
        case Below():
            return frozenset({condition.source})
    return frozenset()
