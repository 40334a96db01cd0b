"""From a parsed query to a plan: looks up its names, checks what may go together, writes the SQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from worksmith.tools.kinds.crm.schema import Field
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed
from worksmith.tools.kinds.crm.soql.filters import Filters, Fragment
from worksmith.tools.kinds.crm.soql.results import (
    AggregatePlan,
    Children,
    CountPlan,
    Output,
    Parent,
    Plan,
    RecordPlan,
)
from worksmith.tools.kinds.crm.soql.scope import (
    FUNCTIONS,
    TEXTS,
    Operand,
    Scope,
    find_object,
    no_relationship,
)
from worksmith.tools.kinds.crm.soql.tree import (
    AllFields,
    Call,
    ChildSelect,
    Clauses,
    Expression,
    Item,
    Order,
    Path,
    Query,
)
from worksmith.tools.kinds.crm.soql.where import Setting, where_sql


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


MAX_SKIP = 2_000
MAX_FIELDS_LIMIT = 200
MAX_CHILD_SELECTS = 20


def compile_query(query: Query, setting: Setting) -> Plan:
    clauses = query.clauses
    scope = Scope(
        setting.schema, find_object(setting.schema, clauses.source, clauses.source_offset), clauses.alias
    )
    where = where_sql(clauses, scope, setting)
    check_skip(clauses)
    if _is_count(query):
        return _count(query, scope, where)
    if is_aggregate(query):
        return compile_aggregate(query, scope, where, setting.today)
    return RecordCompiler(scope, setting).plan(query, where)


def check_skip(clauses: Clauses) -> None:
    if clauses.skip and clauses.skip.value > MAX_SKIP:
        message = f"Maximum SOQL offset allowed is {MAX_SKIP}"
        raise QueryError("NUMBER_OUTSIDE_VALID_RANGE", message, clauses.skip.offset)


def order_sql(clauses: Clauses, scope: Scope) -> str:
    """ORDER BY of a query over records. Equal records keep the order of their creation."""
    keys = []
    for order in clauses.order:
        if isinstance(order.expression, Call):
            message = f"Ordered field must be grouped or aggregated: {order.expression.text}"
            raise malformed(message, order.offset)
        operand = scope.field(order.expression)
        if not operand.field.sortable:
            raise malformed(f"field '{operand.name}' can not be sorted in a query call", operand.offset)
        keys.append(operand.order(order.descending, order.nulls_last))
    return ", ".join([*keys, scope.last_key])


class RecordCompiler:
    """Compiles one query over records. `link`: of a query over children, the reference to the parent."""

    def __init__(self, scope: Scope, setting: Setting, link: Field | None = None) -> None:
        self._scope = scope
        self._setting = setting
        self._link = link
        self._columns: list[str] = [scope.column(link)] if link else []
        self._parents: dict[tuple[str, ...], Parent] = {}
        self._shown: list[Output | Children] = []
        self._seen: set[str] = set()

    def plan(self, query: Query, where: Fragment) -> RecordPlan:
        """The plan for `query`, whose WHERE has been translated already."""
        id_index = self._add(f'{self._scope.table}."Id"')
        for selected in query.selected:
            match selected:
                case Item():
                    self._item(selected)
                case AllFields():
                    self._all_fields(selected, query.clauses)
                case ChildSelect():
                    self._children(selected)
        order = order_sql(query.clauses, self._scope)
        if self._link:
            parents = f"{self._scope.column(self._link)} IN (SELECT value FROM json_each(?))"
            where = where.also(Fragment(parents))
        sql = f"SELECT {', '.join(self._columns)} FROM {self._scope.from_sql}{where.clause}"
        return RecordPlan(
            self._scope.object.name,
            f"{sql} ORDER BY {order}",
            where.parameters,
            id_index,
            tuple(self._shown),
            tuple(self._parents.values()),
            *query.clauses.page,
        )

    def _add(self, sql: str) -> int:
        self._columns.append(sql)
        return len(self._columns) - 1

    def _item(self, item: Item) -> None:
        if isinstance(item.expression, Call):  # aggregates are compiled elsewhere
            self._scope.operand(item.expression)
            raise malformed(f"Field must be grouped or aggregated: {item.expression.text}", item.offset)
        if item.alias:
            raise malformed("only aggregate expressions use field aliasing", item.offset)
        operand = self._scope.field(item.expression)
        self._show(operand.field, operand.path, operand.sql, item.offset)

    def _all_fields(self, item: AllFields, clauses: Clauses) -> None:
        if item.which != "STANDARD" and (not clauses.limit or clauses.limit.value > MAX_FIELDS_LIMIT):
            message = f"The SOQL FIELDS function must have a LIMIT of at most {MAX_FIELDS_LIMIT}"
            raise malformed(message, item.offset)
        for field in self._scope.object.queryable:
            if item.which == "ALL" or field.custom == (item.which == "CUSTOM"):
                operand = self._scope.field(Path((field.name,), item.offset))
                self._show(field, (), operand.sql, item.offset)

    def _show(self, field: Field, path: tuple[str, ...], sql: str, offset: int) -> None:
        name = ".".join((*path, field.name))
        self._claim(name, offset)
        for length in range(1, len(path) + 1):
            self._show_parent(path[:length])
        self._shown.append(Output(field.name, path, field.type, self._add(sql)))

    def _show_parent(self, path: tuple[str, ...]) -> None:
        if path not in self._parents:
            parent = self._scope.parent_of(path)
            index = self._add(self._scope.column(parent.fields[0], path))
            self._parents[path] = Parent(parent.name, path, index)

    def _claim(self, name: str, offset: int) -> None:
        if name in self._seen:
            raise QueryError("INVALID_FIELD", f"duplicate field selected: {name}", offset)
        self._seen.add(name)

    def _children(self, selected: ChildSelect) -> None:
        query = selected.query
        clauses = query.clauses
        if self._link:
            raise malformed("sub-selects can only be one level deep", selected.offset)
        child = self._setting.schema.child(self._scope.object.name, clauses.source)
        if child is None:
            raise no_relationship(clauses.source, clauses.source_offset)
        if is_aggregate(query):
            raise malformed("sub-selects cannot group or aggregate", query.offset)
        if sum(isinstance(shown, Children) for shown in self._shown) == MAX_CHILD_SELECTS:
            raise malformed(f"at most {MAX_CHILD_SELECTS} sub-selects are allowed", selected.offset)
        self._claim(child.name, selected.offset)
        source = self._setting.schema.object(child.object)
        assert source is not None
        scope = Scope(self._setting.schema, source, clauses.alias)
        where = where_sql(clauses, scope, self._setting)
        check_skip(clauses)
        plan = RecordCompiler(scope, self._setting, child.field).plan(query, where)
        self._shown.append(Children(child.name, plan, plan.limit, plan.skip))


def _is_count(query: Query) -> bool:
    return any(
        isinstance(item, Item) and isinstance(item.expression, Call) and item.expression.argument is None
        for item in query.selected
    )


def _count(query: Query, scope: Scope, where: Fragment) -> CountPlan:
    clauses = query.clauses
    first = query.selected[0]
    if len(query.selected) > 1 or (isinstance(first, Item) and first.alias):
        raise malformed("COUNT() must be the only thing selected, without an alias", first.offset)
    if clauses.group or clauses.having or clauses.order:
        message = "COUNT() cannot be used with GROUP BY, HAVING or ORDER BY; use COUNT(Id)"
        raise malformed(message, first.offset)
    return CountPlan(f"SELECT 1 FROM {scope.from_sql}{where.clause}", where.parameters, *clauses.page)
