"""Literals as cells: what a value in a condition has to look like to compare with a field's cells."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from tools.kinds.crm import ids
from tools.kinds.crm.schema import IDS, NUMBERS
from tools.kinds.crm.soql.errors import QueryError, malformed
from tools.kinds.crm.soql.periods import period
from tools.kinds.crm.soql.scope import TEXTS, Operand
from tools.kinds.crm.soql.tree import Value

Cell = str | float

_OFFSET = re.compile(r"(?<=[+-]\d\d):?(?=\d\d$)")
_FRACTION = re.compile(r"\.(\d+)")
_QUOTED = {
    "datetime": "dateTime",
    "currency": "double",
}


def moment_cell(moment: datetime) -> str:
    """A point in time as it stands in cells: UTC, of one width, so that texts sort as times do."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}+0000".rjust(28, "0")


def day_cell(day: date) -> str:
    """A day as it stands in cells."""
    return day.isoformat()


def cell(operand: Operand, value: Value) -> Cell:
    """A literal, not null and not a period, as a cell of the operand's type.

    Raises:
        QueryError: it has another type, or is no id, date or number.
    """
    kind = operand.type
    if kind in TEXTS or kind in IDS:
        _need(value.kind == "string", operand, value)
        return value.text if kind in TEXTS else _id(operand, value)
    if kind in NUMBERS:
        _need(value.kind == "number", operand, value)
        return _number(value)
    _need(value.kind == kind, operand, value)
    if kind == "boolean":
        return value.text.lower()
    return _day(value) if kind == "date" else _moment(value)


def bounds(operand: Operand, value: Value, today: date) -> tuple[str, str]:
    """The first cell of a period, and the first cell after it.

    Raises:
        QueryError: the operand is no date and no point in time.
    """
    _need(operand.type in ("date", "datetime"), operand, value)
    first, after = period(value.text, value.count, today, value.offset)
    suffix = "" if operand.type == "date" else "T00:00:00.000+0000"
    return day_cell(first) + suffix, day_cell(after) + suffix


def _need(fits: bool, operand: Operand, value: Value) -> None:
    if fits:
        return
    quoted = operand.type in TEXTS or operand.type in IDS
    kind = "string" if quoted else _QUOTED.get(operand.type, operand.type)
    message = (
        f"value of filter criterion for field '{operand.name}' must be of type {kind} and should "
        f"{'' if quoted else 'not '}be enclosed in quotes"
    )
    raise QueryError("INVALID_FIELD", message, value.offset)


def _id(operand: Operand, value: Value) -> str:
    found = ids.canonical(value.text)
    if found is None:
        message = f"invalid ID field: {value.text[:40]}"
        raise QueryError("INVALID_QUERY_FILTER_OPERATOR", message, value.offset)
    return found


def _number(value: Value) -> float:
    number = float(value.text)
    if abs(number) > 1e18:
        raise QueryError("NUMBER_OUTSIDE_VALID_RANGE", "number is outside of the valid range", value.offset)
    return number


def _day(value: Value) -> str:
    try:
        return day_cell(date.fromisoformat(value.text))
    except ValueError:
        raise malformed(f"Invalid date: {value.text}", value.offset) from None


def _moment(value: Value) -> str:
    text = _OFFSET.sub(":", value.text.upper().replace("Z", "+00:00"))
    fraction = _FRACTION.search(text)
    thousandths = int((fraction[1] + "00")[:3]) if fraction else 0
    try:
        moment = datetime.fromisoformat(_FRACTION.sub("", text))
        return moment_cell(moment + timedelta(milliseconds=thousandths))
    except (ValueError, OverflowError):
        raise malformed(f"Invalid dateTime: {value.text}", value.offset) from None
