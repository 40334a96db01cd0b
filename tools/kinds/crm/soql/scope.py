"""Names of a query: the fields, paths and functions that they stand for in the schema and in SQL."""

from __future__ import annotations

from dataclasses import dataclass

from worksmith.tools.kinds.crm.schema import IDS, NUMBERS, CrmObject, Field, FieldType, Schema
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed
from worksmith.tools.kinds.crm.soql.tree import Call, Expression, Path
from worksmith.tools.sqlite.schema import ROW, quoted

_DATES = frozenset({"date", "datetime"})
TEXTS = frozenset({"string", "picklist", "email", "phone", "url"})
"""Types whose values compare without regard to case."""
_COUNTABLE = _DATES | TEXTS | IDS | NUMBERS


@dataclass(frozen=True)
class Function:
    """A function of one field.

    Attributes:
        aggregate: whether it sums up many records.
        takes: types of fields that it can be applied to.
        gives: the type of its value; None: that of the field.
        sql: with `{x}` for the field's value; a number is put in as such.
    """

    name: str
    aggregate: bool
    takes: frozenset[str]
    gives: FieldType | None
    sql: str


def _date_part(
    name: str, sql: str, takes: frozenset[str] = _DATES, gives: FieldType = "int"
) -> list[Function]:
    names = [name]
    if name.startswith("CALENDAR_"):
        names.append(name.replace("CALENDAR_", "FISCAL_"))
    return [Function(each, False, takes, gives, sql) for each in names]


_DAY_OF_YEAR = "CAST(strftime('%j', substr({x}, 1, 10)) AS INTEGER)"
_DAY_OF_MONTH = "CAST(substr({x}, 9, 2) AS INTEGER)"
_TIMES = frozenset({"datetime"})

FUNCTIONS = {
    function.name: function
    for function in [
        Function("COUNT", True, _COUNTABLE, "int", "COUNT({x})"),
        Function("COUNT_DISTINCT", True, _COUNTABLE, "int", "COUNT(DISTINCT {x})"),
        Function("SUM", True, NUMBERS, "double", "SUM({x})"),
        Function("AVG", True, NUMBERS, "double", "AVG({x})"),
        Function("MIN", True, _COUNTABLE, None, "MIN({x})"),
        Function("MAX", True, _COUNTABLE, None, "MAX({x})"),
        *_date_part("CALENDAR_YEAR", "CAST(substr({x}, 1, 4) AS INTEGER)"),
        *_date_part("CALENDAR_QUARTER", "(CAST(substr({x}, 6, 2) AS INTEGER) + 2) / 3"),
        *_date_part("CALENDAR_MONTH", "CAST(substr({x}, 6, 2) AS INTEGER)"),
        *_date_part("DAY_IN_MONTH", _DAY_OF_MONTH),
        *_date_part("DAY_IN_WEEK", "CAST(strftime('%w', substr({x}, 1, 10)) AS INTEGER) + 1"),
        *_date_part("DAY_IN_YEAR", _DAY_OF_YEAR),
        *_date_part("WEEK_IN_MONTH", f"({_DAY_OF_MONTH} - 1) / 7 + 1"),
        *_date_part("WEEK_IN_YEAR", f"({_DAY_OF_YEAR} - 1) / 7 + 1"),
        *_date_part("HOUR_IN_DAY", "CAST(substr({x}, 12, 2) AS INTEGER)", _TIMES),
        *_date_part("DAY_ONLY", "substr({x}, 1, 10)", _TIMES, "date"),
    ]
}


MAX_PARENTS = 5
"""Relationships in one path."""

_ADVICE = "Please reference your WSDL or the describe call for the appropriate names."
_NAME = ("Id", "Name", "FirstName", "LastName", "Email", "Alias", "Username", "Phone")
"""What can be asked of an owner who may be a user or a group: the fields of the platform's Name object."""


@dataclass(frozen=True)
class Operand:
    """The meaning of an expression.

    Attributes:
        name: as messages call it.
        path: names of the relationships that lead there, as the schema spells them.
        field: the field, also where a function is applied to it.
        function: the function, if any.
        sql: its value in SQL.
    """

    name: str
    path: tuple[str, ...]
    field: Field
    function: Function | None
    sql: str
    offset: int

    @property
    def type(self) -> FieldType:
        return (self.function.gives if self.function else None) or self.field.type

    @property
    def aggregate(self) -> bool:
        return self.function is not None and self.function.aggregate

    @property
    def key(self) -> tuple[str, ...]:
        return (self.function.name if self.function else "", *self.path, self.field.name)

    @property
    def comparable(self) -> str:
        """Its value in SQL, as it compares, sorts and groups."""
        return f"{self.sql} COLLATE NOCASE" if self.type in TEXTS else self.sql

    def order(self, descending: bool = False, nulls_last: bool = False) -> str:
        """One key of ORDER BY."""
        return (
            f"{self.comparable} {'DESC' if descending else 'ASC'} NULLS {'LAST' if nulls_last else 'FIRST'}"
        )


class Scope:
    """The object of a query, with the parents that its expressions reach for.

    Args:
        letter: distinguishes the tables of nested queries.
        index: the search table of the object, in a search: its rows have the numbers of the object's.
        ranked: whether what fits the search best comes first.
    """

    def __init__(
        self,
        schema: Schema,
        source: CrmObject,
        alias: str = "",
        letter: str = "t",
        index: str = "",
        *,
        ranked: bool = True,
    ) -> None:
        self.schema = schema
        self.object = source
        self.table = letter
        self._own = {source.name.lower(), alias.lower()} - {""}
        self._letter = letter
        self._index = index
        self._ranked = ranked
        self._joins: dict[tuple[str, ...], str] = {}
        self._join_sql: list[str] = []

    @property
    def from_sql(self) -> str:
        """The table and the joins to the parents that have been asked for so far."""
        own = f"{quoted(self.object.name)} AS {self.table}"
        if self._index:  # a CROSS JOIN, because the index has to come first to be worth anything
            own = f"{quoted(self._index)} AS hit CROSS JOIN {own} ON {self.table}.{ROW} = hit.rowid"
        return " ".join([own, *self._join_sql])

    @property
    def last_key(self) -> str:
        """The last key of an order: how well records match a search, then when they were made."""
        row = f"{self.table}.{ROW}"
        return f"hit.rank, {row}" if self._index and self._ranked else row

    def column(self, field: Field, path: tuple[str, ...] = ()) -> str:
        return f"{self._joins[path] if path else self.table}.{quoted(field.name)}"

    def operand(self, expression: Expression) -> Operand:
        """What `expression` stands for."""
        if isinstance(expression, Path):
            return self.field(expression)
        assert expression.argument is not None  # COUNT() is handled before its names are looked up
        return self._applied(expression, self.field(expression.argument))

    def field(self, path: Path) -> Operand:
        """The field at the end of `path`."""
        parts = path.parts
        if len(parts) > 1 and parts[0].lower() in self._own:
            parts = parts[1:]
        if len(parts) - 1 > MAX_PARENTS:
            message = f"field path {path.text} has more than {MAX_PARENTS} relationships"
            raise QueryError("INVALID_FIELD", message, path.offset)
        owner: CrmObject = self.object
        names: tuple[str, ...] = ()
        through: Field | None = None
        for part in parts[:-1]:
            owner, through, names = self._step(owner, through, names, part, path.offset)
        field = owner.field(parts[-1])
        if field is None or (through is not None and through.polymorphic and field.name not in _NAME):
            entity = "Name" if through is not None and through.polymorphic else owner.name
            raise _no_column(parts[-1], entity, path.offset)
        sql = self.column(field, names)
        if field.type in NUMBERS:
            sql = f"CAST({sql} AS REAL)"
        return Operand(".".join((*names, field.name)), names, field, None, sql, path.offset)

    def _step(
        self, owner: CrmObject, through: Field | None, names: tuple[str, ...], part: str, offset: int
    ) -> tuple[CrmObject, Field, tuple[str, ...]]:
        """From `owner` to the parent called `part`."""
        reference = None if through is not None and through.polymorphic else owner.parent(part)
        if reference is None:
            message = (
                f"Didn't understand relationship '{part}' in field path. If you are attempting to use a "
                f"custom relationship, be sure to append the '__r' after the custom relationship name. "
                f"{_ADVICE}"
            )
            raise QueryError("INVALID_FIELD", message, offset)
        parent = self.schema.object(reference.targets[0])
        assert parent is not None  # the schema's own tests see to it
        longer = (*names, reference.parent)
        if longer not in self._joins:
            alias = f"{self._letter}{len(self._joins) + 1}"
            key = self.column(reference, names)
            self._joins[longer] = alias
            self._join_sql.append(f'LEFT JOIN {quoted(parent.name)} AS {alias} ON {alias}."Id" = {key}')
        return parent, reference, longer

    def parent_of(self, path: tuple[str, ...]) -> CrmObject:
        """The object at the end of relationships that `field` has followed."""
        owner = self.object
        for name in path:
            reference = owner.parent(name)
            assert reference is not None
            found = self.schema.object(reference.targets[0])
            assert found is not None
            owner = found
        return owner

    def _applied(self, call: Call, operand: Operand) -> Operand:
        function = FUNCTIONS[call.function]
        name = f"{function.name}({operand.name})"
        if operand.field.type not in function.takes:
            kind = "aggregate operator" if function.aggregate else "date function"
            raise malformed(f"field {operand.name} does not support {kind} {function.name}", call.offset)
        value = operand.comparable if function.aggregate else operand.sql
        sql = function.sql.format(x=value)
        return Operand(name, operand.path, operand.field, function, sql, call.offset)


def find_object(schema: Schema, name: str, offset: int) -> CrmObject:
    """The object called `name`."""
    found = schema.object(name)
    if found is None:
        message = (
            f"sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure "
            f"to append the '__c' after the entity name. {_ADVICE}"
        )
        raise QueryError("INVALID_TYPE", message, offset)
    return found


def no_relationship(name: str, offset: int) -> QueryError:
    message = (
        f"Didn't understand relationship '{name}' in FROM part of query call. If you are attempting to use a "
        f"custom relationship, be sure to append the '__r' after the custom relationship name. {_ADVICE}"
    )
    return QueryError("INVALID_TYPE", message, offset)


def _no_column(name: str, entity: str, offset: int) -> QueryError:
    message = (
        f"No such column '{name}' on entity '{entity}'. If you are attempting to use a custom field, be sure "
        f"to append the '__c' after the custom field name. {_ADVICE}"
    )
    return QueryError("INVALID_FIELD", message, offset)
