"""The values that answers name."""

from __future__ import annotations

from typing import Literal

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.tasks.task import Entity


def number(value: int) -> Entity:
    """A count or a sum of counts."""
    return Entity(type="number", value=str(value))


def amount(value: str) -> Entity:
    """Money, as records write it."""
    return Entity(type="amount", value=value)


def date(value: str) -> Entity:
    """A day, ISO; of a time only its day is asked for."""
    return Entity(type="date", value=value[:10])


def person(row: Record) -> Entity:
    """An employee by name, or as well by id or address."""
    return Entity(type="person", value=row["name"], alias=(row["emp_id"], row["email"]))


def ident(kind: str, value: str) -> Entity:
    """An id; `kind` is the column, such as `ticket_id`."""
    return Entity(type=kind, value=value)


def text(value: str, *alias: str) -> Entity:
    """A name or a word."""
    return Entity(type="text", value=value, alias=alias)


def yes_or_no(value: bool) -> Entity:
    """The answer to a question whether."""
    return Entity(type="text", value="yes" if value else "no")


def rating(value: str) -> Entity:
    """A rating with its decimals."""
    return Entity(type="number", value=value)


Kind = Literal["number", "amount", "rating", "date", "ident", "person", "text"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("stock", "size", "copies", "quantity"), "number"),
    **dict.fromkeys(("discounted_price", "total", "monthly_revenue"), "amount"),
    **dict.fromkeys(("doj", "date_of_purchase", "created_at", "closed_at"), "date"),
    "rating": "rating",
    "email": "ident",
    "name": "person",
}


def kind_of(column: str) -> Kind:
    """The kind of a column's cells."""
    if column.endswith("date"):
        return "date"
    return "ident" if column.endswith("_id") else _KINDS.get(column, "text")


def of_column(row: Record, column: str) -> Entity:
    """The value of a cell."""
    kind, value = kind_of(column), row[column]
    if kind == "person":
        return person(row)
    if kind == "ident":
        return ident(column, value)
    return of_kind(kind, value)


def of_kind(kind: str, value: str) -> Entity:
    """A value of this kind; of another one than the known it is an id, such as `order`."""
    match kind:
        case "number":
            return number(int(value))
        case "amount":
            return amount(value)
        case "rating":
            return rating(value)
        case "date":
            return date(value)
        case "text":
            return text(value)
    return ident(kind, value)
