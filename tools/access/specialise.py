"""From rule and persona to a condition on the record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from tools.access.conditions import (
    ALWAYS,
    NEVER,
    Below,
    Condition,
    Constant,
    OneOf,
    Related,
    both,
    either,
    opposite,
)
from tools.access.document import PolicyDocument, Rule
from tools.access.predicates import (
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
    Predicate,
    RecordIn,
)
from tools.persona import Persona

_HIGHEST = 99
"""Levels are texts of one or two digits; anything else is no level, and nobody outranks its bearer."""


def allowed(document: PolicyDocument, persona: Persona, source: str, rules: Iterable[Rule]) -> Condition:
    """The records on which one of these rules of `source` allows `persona`."""
    return either([specialised(document, persona, source, rule.when) for rule in rules])


def specialised(document: PolicyDocument, persona: Persona, source: str, when: Predicate) -> Condition:
    """The records of `source` on which a predicate holds for `persona`; none for an inactive one."""
    return _Specialist(document, persona, source).condition(when) if persona.active else NEVER


class _Specialist:
    def __init__(self, document: PolicyDocument, persona: Persona, source: str) -> None:
        self._document = document
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
                return either([OneOf(field, (self._persona.id,)) for field in when.fields])
            case Manages():
                return self._below(when.manages)
            case Outranks():
                return self._outranked(when.outranks)
            case RecordIn():
                return OneOf(when.record.field, tuple(dict.fromkeys(when.record.within)))
            case May():
                return self._may(when)
            case Exists():
                return self._exists(when)
        assert_never(when)

    def _departments(self, names: Iterable[str]) -> set[str]:
        return {code for name in names for code in self._document.groups.get(name, (name,))}

    def _below(self, field: str) -> Condition:
        people = self._document.people
        assert people is not None
        return Below(field, self._persona.id, people.source, people.id, people.manager)

    def _outranked(self, field: str) -> Condition:
        people = self._document.people
        assert people is not None
        lower = range(min(max(self._persona.level, 0), _HIGHEST + 1))
        texts = tuple(dict.fromkeys(text for level in lower for text in (str(level), f"{level:02d}")))
        if not texts:
            return NEVER
        return Related(people.source, ((field, people.id),), OneOf(people.level, texts))

    def _may(self, when: May) -> Condition:
        # A right to change some fields is not the right that the rule speaks of.
        other = when.may.source
        rules = [r for r in self._document.rules(other, when.may.operation) if r.fields is None]
        there = allowed(self._document, self._persona, other, rules)
        return NEVER if there == NEVER else Related(other, tuple(when.may.on.items()), there)

    def _exists(self, when: Exists) -> Condition:
        other = when.exists.source
        specialist = _Specialist(self._document, self._persona, other)
        there = ALWAYS if when.exists.when is None else specialist.condition(when.exists.when)
        return NEVER if there == NEVER else Related(other, tuple(when.exists.on.items()), there)
