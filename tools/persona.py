"""Personas: the people that agents work for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

Value = str | int | float | bool | None
"""The value of a field."""


class Attributes(Mapping[str, Value]):
    """Further fields of a persona by name: immutable and hashable."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self._values = dict(sorted((values or {}).items()))

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return f"Attributes({self._values})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        values = TypeAdapter(dict[str, Value], config=ConfigDict(strict=True)).core_schema
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.union_schema(
                [core_schema.chain_schema([core_schema.is_instance_schema(cls), _AS_DICT]), values]
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


_AS_DICT = core_schema.no_info_plain_validator_function(dict)


class Persona(BaseModel):
    """The employee that an agent works for, as set by the environment. A model cannot choose it.

    Attributes:
        department: the code of the department, e.g. `EN`.
        level: the seniority; a higher number is more senior.
        managers: the ids of all managers above, nearest first.
        active: whether the person is employed at the time of the episode; if not, access rules deny
            everything.
        attributes: all other fields of the persona. They are for rules and tools; no prompt shows them.

    Example:
        >>> env.persona("mara").department
        'Reception'
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    email: str = ""
    department: str = ""
    level: int = 0
    managers: tuple[str, ...] = ()
    active: bool = True
    attributes: Attributes = Field(Attributes(), exclude_if=lambda found: not found)

    def field(self, name: str) -> Value:
        """An attribute or one of `FIELDS`, as rules compare it; None if it is empty or missing."""
        value = self.attributes.get(name, getattr(self, name) if name in FIELDS else None)
        return None if value == "" else value


FIELDS = ("id", "name", "email", "department", "level")
"""The fields of every persona that rules can compare; the level is an integer, the others are texts."""
