"""The values that answers name."""

from __future__ import annotations

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
