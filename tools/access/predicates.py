"""The conditions that rules are made of, as they stand in a policy document.

Each is an object with one key. They speak of the persona (`department`, `level`, `persona`), of the record
(`record`), of both (`self`, `same`, `manages`, `outranks`) or of records elsewhere (`may`, `exists`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

Operation = Literal["create", "read", "update", "delete"]
OPERATIONS: tuple[Operation, ...] = ("read", "create", "update", "delete")

Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], Field(min_length=1)]
Joined = Annotated[dict[Name, Name], Field(min_length=1)]
Values = Annotated[tuple[str | bool | int | float, ...], Field(min_length=1)]


class PolicyNode(BaseModel):
    """A part of a policy document: immutable, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AllOf(PolicyNode):
    all: Annotated[tuple[Predicate, ...], Field(min_length=1)]


class AnyOf(PolicyNode):
    any: Annotated[tuple[Predicate, ...], Field(min_length=1)]


class Not(PolicyNode):
    negated: Predicate = Field(alias="not")


class Always(PolicyNode):
    """Holds for every active employee."""

    always: Literal[True]


class InDepartment(PolicyNode):
    """The persona's department is one of these codes, or in one of these groups of codes."""

    department: Names


class Levels(PolicyNode):
    """A range or a list of levels."""

    min: int | None = None
    max: int | None = None
    within: Annotated[tuple[int, ...], Field(min_length=1)] | None = Field(None, alias="in")

    @model_validator(mode="after")
    def _says_something(self) -> Levels:
        if self.min is None and self.max is None and self.within is None:
            raise ValueError("give min, max or in")
        return self

    def include(self, level: int) -> bool:
        if self.within is not None and level not in self.within:
            return False
        return (self.min is None or level >= self.min) and (self.max is None or level <= self.max)


class AtLevel(PolicyNode):
    """The persona's level is one of these."""

    level: Levels


class IsSelf(PolicyNode):
    """The persona's own id stands in this field of the record, or in one of several."""

    own: Name | Names = Field(alias="self")

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.own,) if isinstance(self.own, str) else self.own


class Pair(PolicyNode):
    """A field of the persona and a field of the record."""

    persona: Name
    record: Name


class Same(PolicyNode):
    """The persona's field equals the record's field; a single name stands for both. Empty fields never do."""

    same: Annotated[
        Annotated[Name, Tag("name")] | Annotated[Pair, Tag("pair")],
        Discriminator(lambda value: "name" if isinstance(value, str) else "pair"),
    ]

    @property
    def pair(self) -> Pair:
        return self.same if isinstance(self.same, Pair) else Pair(persona=self.same, record=self.same)


class Manages(PolicyNode):
    """The persona is above the employee in this field of the record, directly or not."""

    manages: Name


class Outranks(PolicyNode):
    """The persona's level is above that of the employee in this field of the record."""

    outranks: Name


class Cell(PolicyNode):
    """A field and the values it may have."""

    field: Name
    within: Values = Field(alias="in")


class RecordIn(PolicyNode):
    """A field of the record has one of these values."""

    record: Cell


class PersonaIn(PolicyNode):
    """A field of the persona has one of these values."""

    persona: Cell

    @field_validator("persona")
    @classmethod
    def _ids_are_texts(cls, cell: Cell) -> Cell:
        """The id of a persona is a text, even if it is the key of a table with whole numbers."""
        if cell.field != "id":
            return cell
        values = (str(value) if type(value) is int else value for value in cell.within)
        return cell.model_copy(update={"within": tuple(values)})


class Right(PolicyNode):
    """An operation on the records of a source that are joined on these columns (here: there)."""

    operation: Operation
    source: Name
    on: Joined


class May(PolicyNode):
    """The persona may do that to some joined record, whatever fields of it are meant."""

    may: Right


class Fact(PolicyNode):
    """A joined record of a source of which a predicate holds; `on` maps columns here to columns there."""

    source: Name
    on: Joined
    when: Predicate | None = None


class Exists(PolicyNode):
    """There is such a record, readable or not."""

    exists: Fact


PREDICATE_KEYS = (
    "all",
    "any",
    "not",
    "always",
    "department",
    "level",
    "self",
    "same",
    "manages",
    "outranks",
    "persona",
    "record",
    "may",
    "exists",
)


def _tag(value: Any) -> str | None:
    if isinstance(value, dict):
        return next(iter(value)) if len(value) == 1 and next(iter(value)) in PREDICATE_KEYS else None
    return next((tag for kind, tag in _KINDS.items() if isinstance(value, kind)), None)


Predicate = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")]
    | Annotated[Always, Tag("always")]
    | Annotated[InDepartment, Tag("department")]
    | Annotated[AtLevel, Tag("level")]
    | Annotated[IsSelf, Tag("self")]
    | Annotated[Same, Tag("same")]
    | Annotated[Manages, Tag("manages")]
    | Annotated[Outranks, Tag("outranks")]
    | Annotated[PersonaIn, Tag("persona")]
    | Annotated[RecordIn, Tag("record")]
    | Annotated[May, Tag("may")]
    | Annotated[Exists, Tag("exists")],
    Discriminator(
        _tag,
        custom_error_type="predicate",
        custom_error_message=f"no predicate; one is an object with one key of {', '.join(PREDICATE_KEYS)}",
    ),
]
_KINDS: dict[type[PolicyNode], str] = dict(
    zip(
        (
            *(AllOf, AnyOf, Not, Always, InDepartment, AtLevel, IsSelf, Same, Manages, Outranks),
            *(PersonaIn, RecordIn, May, Exists),
        ),
        PREDICATE_KEYS,
        strict=True,
    )
)

for _kind in (AllOf, AnyOf, Not, Fact, Exists):
    _kind.model_rebuild()


def nodes(predicate: Predicate, path: str, source: str) -> Iterator[tuple[str, Predicate, str]]:
    """The predicate and all inside it, each with its place in the document and its source."""
    yield path, predicate, source
    match predicate:
        case AllOf():
            for index, part in enumerate(predicate.all):
                yield from nodes(part, f"{path}.all[{index}]", source)
        case AnyOf():
            for index, part in enumerate(predicate.any):
                yield from nodes(part, f"{path}.any[{index}]", source)
        case Not():
            yield from nodes(predicate.negated, f"{path}.not", source)
        case Exists():
            if predicate.exists.when is not None:
                yield from nodes(predicate.exists.when, f"{path}.exists.when", predicate.exists.source)
