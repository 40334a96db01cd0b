"""Conditions in SQL.

Every SQL condition here is true, false or NULL, where NULL counts as false; only NOT must treat it so.
Literals are always parameters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from worksmith.tools.kinds.crm.schema import IDS
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed, repr_token
from worksmith.tools.kinds.crm.soql.literals import Cell, bounds, cell
from worksmith.tools.kinds.crm.soql.scope import TEXTS, Operand
from worksmith.tools.kinds.crm.soql.tree import (
    Chain,
    Compare,
    Condition,
    Expression,
    Includes,
    Member,
    Not,
    SemiJoin,
    Value,
)

MAX_CONDITIONS = 1_000
MAX_PATTERN = 4_000

LOWER = "soql_lower"
"""SQL function: small letters in every alphabet. SQLite by itself knows the case of ASCII letters only."""


@dataclass(frozen=True)
class Fragment:
    """A condition with its parameters; empty without one."""

    sql: str = ""
    parameters: tuple[Cell, ...] = ()

    @property
    def clause(self) -> str:
        return f" WHERE {self.sql}" if self.sql else ""

    def also(self, other: Fragment) -> Fragment:
        if not (self.sql and other.sql):
            return self if self.sql else other
        return Fragment(f"{self.sql} AND {other.sql}", (*self.parameters, *other.parameters))


Resolve = Callable[[Expression], Operand]


class Filters:
    """Translates the conditions of one clause.

    Args:
        resolve: the meaning of an expression of this clause; raises where it may not stand there.
        semi_join: translates the sub-select of a semi-join; None if there may be none.
        today: what date literals refer to.
    """

    def __init__(
        self, resolve: Resolve, today: date, semi_join: Callable[[SemiJoin], Fragment] | None = None
    ) -> None:
        self._resolve = resolve
        self._today = today
        self._semi_join = semi_join
        self._count = 0

    def sql(self, condition: Condition) -> Fragment:
        return self._sql(condition, "top")

    def _sql(self, condition: Condition, place: str) -> Fragment:
        match condition:
            case Chain():
                inner = "OR" if condition.connector == "OR" else "AND" if place == "top" else "nested"
                return _joined(condition.connector, [self._sql(part, inner) for part in condition.parts])
            case Not():
                found = self._sql(condition.inner, "nested")
                return Fragment(f"NOT ifnull({found.sql}, 0)", found.parameters)
            case SemiJoin():
                return self._semi(condition, place)
        self._count += 1
        if self._count > MAX_CONDITIONS:
            message = f"query has more than {MAX_CONDITIONS} conditions; use IN for long lists of values"
            raise QueryError("QUERY_TOO_COMPLICATED", message, condition.offset)
        match condition:
            case Compare():
                return self._compare(condition)
            case Member():
                return self._member(condition)
            case Includes():
                operand = self._operand(condition.left)
                message = f"{condition.operator} is for multi-select picklists, which {operand.name} is not"
                raise QueryError("INVALID_QUERY_FILTER_OPERATOR", message, condition.offset)

    def _semi(self, condition: SemiJoin, place: str) -> Fragment:
        if place == "OR":
            message = "Semi join sub-selects are not allowed with the 'OR' operator"
            raise malformed(message, condition.offset)
        if place == "nested":
            message = (
                "Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested "
                "WHERE expressions."
            )
            raise malformed(message, condition.offset)
        if self._semi_join is None:
            raise malformed("Nesting of semi join sub-selects is not supported", condition.offset)
        return self._semi_join(condition)

    def _operand(self, expression: Expression) -> Operand:
        operand = self._resolve(expression)
        if not operand.field.filterable:
            message = f"field '{operand.name}' can not be filtered in a query call"
            raise QueryError("INVALID_FIELD", message, operand.offset)
        return operand

    def _compare(self, condition: Compare) -> Fragment:
        operand = self._operand(condition.left)
        operator, value = condition.operator, condition.value
        if operator == "LIKE":
            return _like(operand, value)
        if _is_null(value):
            if operator not in ("=", "!="):
                raise malformed(f"unexpected token: {repr_token(value.text or chr(39) * 2)}", value.offset)
            return _is(operand, operator == "=")
        if value.kind == "period":
            return _against_range(operand, operator, bounds(operand, value, self._today))
        found = cell(operand, value)
        if operand.type == "boolean":
            if operator not in ("=", "!="):
                raise _bad_operator(operand, value)
            # A parent that is missing counts as false.
            return Fragment(f"ifnull({operand.sql}, 'false') {operator} ?", (found,))
        left, found = _folded(operand, found)
        return Fragment(f"{left} {'IS NOT' if operator == '!=' else operator} ?", (found,))

    def _member(self, condition: Member) -> Fragment:
        operand = self._operand(condition.left)
        operator = "!=" if condition.negated else "="
        plain = [value for value in condition.values if value.kind != "period" and not _is_null(value)]
        parts = [
            _against_range(operand, operator, bounds(operand, value, self._today))
            for value in condition.values
            if value.kind == "period"
        ]
        if plain:
            parts.append(_in_list(operand, condition.negated, [cell(operand, value) for value in plain]))
        if len(plain) < len(condition.values) and any(map(_is_null, condition.values)):
            parts.append(_is(operand, not condition.negated))
        return _joined("AND" if condition.negated else "OR", parts)


def _is_null(value: Value) -> bool:
    """Empty texts are stored as null, so to look for one is to look for the other."""
    return value.kind == "null" or (value.kind == "string" and value.text == "")


def _is(operand: Operand, null: bool) -> Fragment:
    return Fragment(f"{operand.sql} IS {'' if null else 'NOT '}NULL")


def _like(operand: Operand, value: Value) -> Fragment:
    if operand.type not in TEXTS:
        raise _bad_operator(operand, value)
    cell(operand, value)
    if len(value.pattern) > MAX_PATTERN:
        raise malformed(f"patterns cannot be longer than {MAX_PATTERN} characters", value.offset)
    pattern = value.pattern
    left = operand.sql
    if not pattern.isascii():
        left, pattern = f"{LOWER}({left})", pattern.lower()
    return Fragment(f"{left} LIKE ? ESCAPE '\\'", (pattern,))


def _against_range(operand: Operand, operator: str, limits: tuple[str, str]) -> Fragment:
    first, after = limits
    x = operand.sql
    match operator:
        case "=":
            return Fragment(f"({x} >= ? AND {x} < ?)", (first, after))
        case "!=":
            return Fragment(f"({x} IS NULL OR {x} < ? OR {x} >= ?)", (first, after))
        case "<" | ">=":
            return Fragment(f"{x} {operator} ?", (first,))
        case _:
            return Fragment(f"{x} {'<' if operator == '<=' else '>='} ?", (after,))


def _in_list(operand: Operand, negated: bool, cells: Sequence[Cell]) -> Fragment:
    """The list is one parameter, at any length: SQLite bounds their number."""
    left = operand.comparable
    if any(isinstance(each, str) and not each.isascii() for each in cells):
        left, cells = f"{LOWER}({operand.sql})", [str(each).lower() for each in cells]
    if operand.type == "boolean":
        left = f"ifnull({operand.sql}, 'false')"
    found = f"{left} {'NOT ' if negated else ''}IN (SELECT value FROM json_each(?))"
    if negated:
        found = f"({operand.sql} IS NULL OR {found})" if operand.type != "boolean" else found
    return Fragment(found, (json.dumps(cells),))


def _folded(operand: Operand, found: Cell) -> tuple[str, Cell]:
    if operand.type in TEXTS and isinstance(found, str) and not found.isascii():
        return f"{LOWER}({operand.sql})", found.lower()
    return operand.comparable, found


def _bad_operator(operand: Operand, value: Value) -> QueryError:
    kind = "id" if operand.type in IDS else operand.type
    return QueryError("INVALID_QUERY_FILTER_OPERATOR", f"invalid operator on {kind} field", value.offset)


def _joined(connector: str, parts: Sequence[Fragment]) -> Fragment:
    """Halves of halves, because SQLite bounds how deep an expression may be, but not how wide."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = _joined(connector, parts[:middle]), _joined(connector, parts[middle:])
    return Fragment(f"({left.sql} {connector} {right.sql})", (*left.parameters, *right.parameters))
