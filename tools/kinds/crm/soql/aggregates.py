"""Queries that group or sum up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from tools.kinds.crm.soql.errors import malformed
from tools.kinds.crm.soql.filters import Filters, Fragment
from tools.kinds.crm.soql.results import AggregatePlan, Output
from tools.kinds.crm.soql.scope import FUNCTIONS, TEXTS, Operand, Scope
from tools.kinds.crm.soql.tree import Call, Expression, Item, Order, Query


def is_aggregate(query: Query) -> bool:
    clauses = query.clauses
    named: Iterator[Expression] = (item.expression for item in query.selected if isinstance(item, Item))
    return bool(
        clauses.group
        or clauses.having
        or any(_is_aggregate(expression) for expression in named)
        or any(_is_aggregate(order.expression) for order in clauses.order)
    )


def compile_aggregate(query: Query, scope: Scope, where: Fragment, today: date) -> AggregatePlan:
    return _Compiler(query, scope, today).plan(where)


class _Compiler:
    def __init__(self, query: Query, scope: Scope, today: date) -> None:
        self._query = query
        self._scope = scope
        self._today = today
        self._groups = [self._group(expression) for expression in query.clauses.group]
        self._keys = {operand.key for operand in self._groups}
        self._fields = {operand.key[1:] for operand in self._groups if operand.function is None}

    def plan(self, where: Fragment) -> AggregatePlan:
        clauses = self._query.clauses
        columns, shown = self._columns()
        having = self._having()
        order = [self._order(each) for each in clauses.order]
        order += [operand.order() for operand in self._groups]
        if clauses.limit and not self._groups:
            message = "Non-grouped query that uses overall aggregate functions cannot also use LIMIT"
            raise malformed(message, clauses.limit.offset)
        sql = f"SELECT {', '.join(columns)} FROM {self._scope.from_sql}{where.clause}"
        groups = ", ".join(operand.comparable for operand in self._groups)
        sql += f" GROUP BY {groups}" if groups else ""
        sql += f" HAVING {having.sql}" if having.sql else ""
        sql += f" ORDER BY {', '.join(order)}" if order else ""
        return AggregatePlan(sql, (*where.parameters, *having.parameters), shown, *clauses.page)

    def _group(self, expression: Expression) -> Operand:
        if isinstance(expression, Call) and expression.argument is None:
            raise malformed("COUNT() can only be selected", expression.offset)
        operand = self._scope.operand(expression)
        if operand.aggregate or (operand.function is None and not operand.field.groupable):
            message = f"field '{operand.name}' can not be grouped in a query call"
            raise malformed(message, expression.offset)
        return operand

    def _columns(self) -> tuple[list[str], tuple[Output, ...]]:
        columns: list[str] = []
        shown: list[Output] = []
        unnamed = 0
        names: set[str] = set()
        for item in self._query.selected:
            if not isinstance(item, Item):
                message = "grouped and aggregate queries cannot use sub-selects or FIELDS()"
                raise malformed(message, item.offset)
            operand = self._summed(item.expression, "Field")
            name = item.alias
            if not name and operand.function is None:
                name = operand.field.name
            elif not name:
                name = f"expr{unnamed}"
                unnamed += 1
            if name.lower() in names:
                raise malformed(f"duplicate alias: {name}", item.offset)
            names.add(name.lower())
            shown.append(Output(name, (), operand.type, len(columns)))
            columns.append(_representative(operand))
        return columns, tuple(shown)

    def _summed(self, expression: Expression, what: str) -> Operand:
        if isinstance(expression, Call) and expression.argument is None:
            raise malformed("COUNT() can only be selected, and alone", expression.offset)
        operand = self._scope.operand(expression)
        if not operand.aggregate and operand.key not in self._keys:
            raise malformed(f"{what} must be grouped or aggregated: {operand.name}", expression.offset)
        if operand.aggregate and operand.key[1:] in self._fields:
            name = operand.key[-1]
            raise malformed(f"Grouped field should not be aggregated: {name}", expression.offset)
        return operand

    def _having(self) -> Fragment:
        condition = self._query.clauses.having
        if condition is None:
            return Fragment()
        if not self._groups:
            raise malformed("HAVING needs a GROUP BY", condition.offset)
        return Filters(lambda expression: self._summed(expression, "Field"), self._today).sql(condition)

    def _order(self, order: Order) -> str:
        operand = self._summed(order.expression, "Ordered field")
        return operand.order(order.descending, order.nulls_last)


def _is_aggregate(expression: Expression) -> bool:
    return isinstance(expression, Call) and FUNCTIONS[expression.function].aggregate


def _representative(operand: Operand) -> str:
    """The value that a group shows: of texts that differ in case only, always the same one."""
    if not operand.aggregate and operand.type in TEXTS:
        return f"MIN({operand.sql})"
    return operand.sql
