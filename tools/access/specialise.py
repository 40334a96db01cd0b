"""From rule and persona to a condition on the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from worksmith.tools.access.conditions import (
    ALWAYS,
    NEVER,
    Below,
    Condition,
    Constant,
    OneOf,
    Related,
    Under,
    both,
    either,
    opposite,
)
from worksmith.tools.access.document import PolicyDocument, Rule
from worksmith.tools.access.predicates import (
    AllOf,
    Always,
    AnyOf,
    AtLevel,
    Exists,
    InDepartment,
    IsSelf,
    Manages,
    May,
    Not,
    Outranks,
    PersonaIn,
    Predicate,
    RecordIn,
    Same,
)
from worksmith.tools.access.values import NUMBERS, Stored, stored, stored_id
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellType, CellValue
from worksmith.tools.sqlite.schema import Table

Tables = Mapping[str, Table]
"""The tables that rules are about, by name; columns of unknown ones count as text."""

_HIGHEST = 99
"""A level in a text column has one or two digits; no persona outranks anything else."""


def allowed(
    document: PolicyDocument, tables: Tables, persona: Persona, source: str, rules: Iterable[Rule]
) -> Condition:
    """The records on which one of these rules of `source` allows `persona`."""
    return either([specialised(document, tables, persona, source, rule.when) for rule in rules])


def specialised(
    document: PolicyDocument, tables: Tables, persona: Persona, source: str, when: Predicate
) -> Condition:
    """The records of `source` on which a predicate holds for `persona`; empty for an inactive one."""
    return _Specialist(document, tables, persona, source).condition(when) if persona.active else NEVER


class _Specialist:
    def __init__(self, document: PolicyDocument, tables: Tables, persona: Persona, source: str) -> None:
        self._document = document
        self._tables = tables
        self._persona = persona
        self._source = source

    def condition(self, when: Predicate) -> Condition:
        match when:
            case AllOf():
                return both([self.condition(part) for part in when.all])
            case AnyOf():
                return either([self.condition(part) for part in when.any])
            case Not():
                return opposite(self.condition(when.negated))
            case Always():
                return ALWAYS
            case InDepartment():
                return Constant(self._persona.department in self._departments(when.department))
            case AtLevel():
                return Constant(when.level.include(self._persona.level))
            case IsSelf():
                return either([self._equals(field, self._id(self._type(field))) for field in when.fields])
            case Same():
                return self._same(when.pair.persona, when.pair.record)
            case Manages():
                return self._below(when.manages)
            case Outranks():
                return self._outranked(when.outranks)
            case PersonaIn():
                value = self._persona.field(when.persona.field)
                return Constant(any(_equal(value, other) for other in when.persona.within))
            case RecordIn():
                return self._record_in(when)
            case May():
                return self._may(when)
            case Exists():
                return self._exists(when)
        assert_never(when)

    def _type(self, field: str, source: str = "") -> CellType:
        table = self._tables.get(source or self._source)
        return table.type_of(field) if table else "text"

    def _id(self, column: CellType) -> Stored | None:
        return stored_id(self._persona.id, column)

    @staticmethod
    def _equals(field: str, value: Stored | None) -> Condition:
        return NEVER if value is None else OneOf(field, (value,))

    def _same(self, own: str, field: str) -> Condition:
        if own == "id":
            return self._equals(field, self._id(self._type(field)) if self._persona.id else None)
        return self._equals(field, stored(self._persona.field(own), self._type(field)))

    def _record_in(self, when: RecordIn) -> Condition:
        column = self._type(when.record.field)
        cells = [cell for value in when.record.within if (cell := stored(value, column)) is not None]
        return OneOf(when.record.field, tuple(dict.fromkeys(cells))) if cells else NEVER

    def _departments(self, names: Iterable[str]) -> set[str]:
        return {code for name in names for code in self._document.groups.get(name, (name,))}

    def _below(self, field: str) -> Condition:
        people = self._document.people
        assert people is not None
        assert people.manager is not None
        manager = self._id(self._type(people.manager, people.source))
        if manager is None:
            return NEVER
        return Below(field, manager, people.source, people.id, people.manager)

    def _outranked(self, field: str) -> Condition:
        people = self._document.people
        assert people is not None
        assert people.level is not None
        if self._type(people.level, people.source) in NUMBERS:
            return self._related(people.source, {field: people.id}, Under(people.level, self._persona.level))
        lower = range(min(max(self._persona.level, 0), _HIGHEST + 1))
        texts = tuple(dict.fromkeys(text for level in lower for text in (str(level), f"{level:02d}")))
        if not texts:
            return NEVER
        return self._related(people.source, {field: people.id}, OneOf(people.level, texts))

    def _may(self, when: May) -> Condition:
        # A right to change some fields is not the right that the rule speaks of.
        other = when.may.source
        rules = [r for r in self._document.rules(other, when.may.operation) if r.fields is None]
        there = allowed(self._document, self._tables, self._persona, other, rules)
        return self._related(other, when.may.on, there)

    def _exists(self, when: Exists) -> Condition:
        other = when.exists.source
        specialist = _Specialist(self._document, self._tables, self._persona, other)
        there = ALWAYS if when.exists.when is None else specialist.condition(when.exists.when)
        return self._related(other, when.exists.on, there)

    def _related(self, source: str, on: Mapping[str, str], there: Condition) -> Condition:
        if there == NEVER:
            return NEVER
        table = self._tables.get(source)
        indexed = table is not None and not set(table.indexes).isdisjoint(on.values())
        return Related(source, tuple(on.items()), there, indexed)


def _equal(value: CellValue, other: CellValue) -> bool:
    """Whether two values are equal and both or neither truth values."""
    return value is not None and value == other and isinstance(value, bool) == isinstance(other, bool)
