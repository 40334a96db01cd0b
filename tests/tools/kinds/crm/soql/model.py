"""Queries as plain data: what the generator makes, written as SOQL, and read by the naive evaluator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

Path = tuple[str, ...]


@dataclass(frozen=True)
class Expr:
    """A field path, or a function of one."""

    path: Path
    function: str = ""

    @property
    def text(self) -> str:
        path = ".".join(self.path)
        return f"{self.function}({path})" if self.function else path


@dataclass(frozen=True)
class Period:
    """A date literal."""

    name: str
    count: int | None = None


@dataclass(frozen=True)
class Cmp:
    left: Expr
    operator: str
    value: Any


@dataclass(frozen=True)
class In:
    left: Expr
    negated: bool
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Semi:
    left: Expr
    negated: bool
    object: str
    field: str
    where: Any


@dataclass(frozen=True)
class Neg:
    inner: Any


@dataclass(frozen=True)
class Both:
    connector: str
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Key:
    expr: Expr
    descending: bool
    nulls_last: bool


@dataclass(frozen=True)
class Select:
    """A query; `items` are expressions or, for children, (relationship, Select)."""

    object: str
    items: tuple[Any, ...]
    where: Any = None
    group: tuple[Expr, ...] = ()
    having: Any = None
    order: tuple[Key, ...] = ()
    limit: int | None = None
    offset: int | None = None


def soql(query: Select, source: str = "") -> str:
    """The query as SOQL."""
    items = [f"({soql(item[1], item[0])})" if isinstance(item, tuple) else item.text for item in query.items]
    text = f"SELECT {', '.join(items) or 'COUNT()'} FROM {source or query.object}"
    text += f" WHERE {condition(query.where)}" if query.where else ""
    text += f" GROUP BY {', '.join(expr.text for expr in query.group)}" if query.group else ""
    text += f" HAVING {condition(query.having)}" if query.having else ""
    text += f" ORDER BY {', '.join(map(_key, query.order))}" if query.order else ""
    text += f" LIMIT {query.limit}" if query.limit is not None else ""
    return text + (f" OFFSET {query.offset}" if query.offset is not None else "")


def condition(given: Any, nested: bool = False) -> str:
    """A condition as SOQL."""
    match given:
        case Cmp():
            value = pattern(given.value) if given.operator == "LIKE" else literal(given.value)
            return f"{given.left.text} {given.operator} {value}"
        case In():
            values = ", ".join(map(literal, given.values))
            return f"{given.left.text} {'NOT ' if given.negated else ''}IN ({values})"
        case Semi():
            where = f" WHERE {condition(given.where)}" if given.where else ""
            inner = f"SELECT {given.field} FROM {given.object}{where}"
            return f"{given.left.text} {'NOT ' if given.negated else ''}IN ({inner})"
        case Neg():
            return f"NOT ({condition(given.inner)})"
        case Both():
            text = f" {given.connector} ".join(condition(part, True) for part in given.parts)
            return f"({text})" if nested else text
    raise TypeError(given)


def literal(value: Any) -> str:
    """A value as SOQL writes it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).upper()
        case Period():
            return value.name + ("" if value.count is None else f":{value.count}")
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        case date():
            return value.isoformat()
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case _:
            return f"{value:g}"


def pattern(parts: tuple[str, ...]) -> str:
    """A pattern, whose parts are wildcards (`%`, `_`) and texts."""
    texts = [p if p in ("%", "_") else _plain(p) for p in parts]
    return f"'{''.join(texts)}'"


def _plain(text: str) -> str:
    for special in "\\'%_":
        text = text.replace(special, "\\" + special)
    return text


def _key(key: Key) -> str:
    return (
        f"{key.expr.text} {'DESC' if key.descending else 'ASC'} NULLS {'LAST' if key.nulls_last else 'FIRST'}"
    )
