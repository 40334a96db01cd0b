"""WHERE, with the sub-selects that may stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from worksmith.tools.kinds.crm.schema import IDS, Schema
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed
from worksmith.tools.kinds.crm.soql.filters import Filters, Fragment
from worksmith.tools.kinds.crm.soql.scope import Operand, Scope, find_object
from worksmith.tools.kinds.crm.soql.tree import Call, Clauses, Expression, Item, Path, Query, SemiJoin

MAX_SEMI_JOINS = 2


@dataclass(frozen=True)
class Setting:
    """The setting of a query's compilation. `today`: the day of date literals."""

    schema: Schema
    today: date


def where_sql(clauses: Clauses, scope: Scope, setting: Setting) -> Fragment:
    if clauses.where is None:
        return Fragment()
    count = 0

    def semi_join(condition: SemiJoin) -> Fragment:
        nonlocal count
        count += 1
        if count > MAX_SEMI_JOINS:
            message = f"Maximum {MAX_SEMI_JOINS} semi join sub-selects are allowed"
            raise malformed(message, condition.offset)
        return _semi_join(condition, scope, setting, f"s{count}_")

    filters = Filters(lambda expression: plain_operand(scope, expression), setting.today, semi_join)
    return filters.sql(clauses.where)


def _semi_join(condition: SemiJoin, outer: Scope, setting: Setting, letter: str) -> Fragment:
    left = plain_operand(outer, condition.left)
    if left.path or left.function or left.type not in IDS:
        message = (
            "The left operand field in the where expression for outer query should be an id field, "
            f"cannot use: '{left.name}'"
        )
        raise QueryError("INVALID_FIELD", message, condition.offset)
    clauses = condition.query.clauses
    source = find_object(setting.schema, clauses.source, clauses.source_offset)
    if source is outer.object:
        message = "The inner and outer selects should not be on the same object type"
        raise malformed(message, clauses.source_offset)
    scope = Scope(setting.schema, source, clauses.alias, letter)
    chosen = _semi_field(condition.query, scope)
    if not _targets(left, outer) & _targets(chosen, scope):
        message = (
            f"The selected field '{chosen.name}' in the subquery and the left operand field in the where "
            f"expression in the outer query '{left.name}' should point to the same object type"
        )
        raise QueryError("INVALID_FIELD", message, chosen.offset)
    where = Fragment("1")
    if clauses.where is not None:
        where = Filters(lambda expression: plain_operand(scope, expression), setting.today).sql(clauses.where)
    inner = f"SELECT {chosen.sql} FROM {scope.from_sql} WHERE {chosen.sql} IS NOT NULL AND {where.sql}"
    if condition.negated:
        return Fragment(f"({left.sql} IS NULL OR {left.sql} NOT IN ({inner}))", where.parameters)
    return Fragment(f"{left.sql} IN ({inner})", where.parameters)


def _semi_field(query: Query, scope: Scope) -> Operand:
    clauses = query.clauses
    if clauses.order or clauses.limit or clauses.skip or clauses.group or clauses.having:
        message = "semi join sub-selects cannot have GROUP BY, HAVING, ORDER BY, LIMIT or OFFSET"
        raise malformed(message, query.offset)
    first = query.selected[0]
    if len(query.selected) != 1 or not isinstance(first, Item) or not isinstance(first.expression, Path):
        raise malformed("semi join sub-selects must select exactly one field", query.offset)
    if first.alias:
        raise malformed("only aggregate expressions use field aliasing", first.offset)
    return scope.field(first.expression)


def _targets(operand: Operand, scope: Scope) -> set[str]:
    if operand.type == "id":
        return {scope.parent_of(operand.path).name}
    return set(operand.field.targets)


def plain_operand(scope: Scope, expression: Expression) -> Operand:
    """The meaning of an expression of WHERE: anything but an aggregate."""
    if isinstance(expression, Call) and expression.argument is None:
        raise malformed("COUNT() can only be selected", expression.offset)
    operand = scope.operand(expression)
    if operand.aggregate:
        message = f"aggregate functions are not allowed in WHERE: {operand.name}; use HAVING"
        raise malformed(message, expression.offset)
    return operand
