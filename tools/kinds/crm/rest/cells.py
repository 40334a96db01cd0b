"""Values that clients send, as the cells of a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.rest.messages import ApiError
from worksmith.tools.kinds.crm.schema import Field, FieldType
from worksmith.tools.kinds.crm.soql.literals import moment_cell

LENGTHS: dict[FieldType, int] = {
    "string": 255,
    "picklist": 255,
    "url": 255,
    "email": 80,
    "phone": 40,
    "textarea": 131_072,
}
"""Characters that a text may have."""

_LARGEST = 1e14
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;]+")


def cell(field: Field, value: Any) -> str | None:
    if value is None or value == "":
        if field.type == "boolean":
            raise _wrong(field, value)
        return None
    return _TYPES[field.type](field, value)


def _text(field: Field, value: Any) -> str:
    text = _string(field, value)
    most = LENGTHS[field.type]
    if len(text) > most:
        message = f"{field.name}: data value too large: {text[:40]}... (max length={most})"
        raise ApiError(400, "STRING_TOO_LONG", message, [field.name])
    return text


def _picklist(field: Field, value: Any) -> str:
    text = _text(field, value)
    if field.values and text not in field.values:
        message = f"{field.name}: bad value for restricted picklist field: {text}"
        raise ApiError(400, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", message, [field.name])
    return text


def _email(field: Field, value: Any) -> str:
    text = _text(field, value)
    if not _ADDRESS.fullmatch(text):
        message = f"{field.name}: invalid email address: {text}"
        raise ApiError(400, "INVALID_EMAIL_ADDRESS", message, [field.name])
    return text


def _id(field: Field, value: Any) -> str:
    text = _string(field, value)
    found = canonical(text)
    if found is None:
        message = f"{field.name}: id value of incorrect type: {text[:40]}"
        raise ApiError(400, "MALFORMED_ID", message, [field.name])
    return found


def _boolean(field: Field, value: Any) -> str:
    if not isinstance(value, bool):
        raise _wrong(field, value)
    return "true" if value else "false"


def _whole(field: Field, value: Any) -> str:
    number = _number(field, value)
    if not number.is_integer():
        raise _wrong(field, value)
    return str(int(number))


def _fraction(field: Field, value: Any) -> str:
    return _plain(_number(field, value))


def _currency(field: Field, value: Any) -> str:
    number = _number(field, value)
    cents = f"{number:.2f}"
    return cents if float(cents) == number else _plain(number)


def _plain(number: float) -> str:
    return f"{Decimal(repr(number)):f}"


def _day(field: Field, value: Any) -> str:
    text = _string(field, value)
    if not _DAY.fullmatch(text):
        raise _wrong(field, value)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _wrong(field, value) from None


def _moment(field: Field, value: Any) -> str:
    text = _string(field, value)
    if not _MOMENT.fullmatch(text):
        raise _wrong(field, value)
    try:
        return moment_cell(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise _wrong(field, value) from None


def _string(field: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(field, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair, which JSON can write and no database can hold.
        raise ApiError(400, "JSON_PARSER_ERROR", f"{field.name}: not valid Unicode text") from None
    if "\0" in value:
        raise ApiError(400, "JSON_PARSER_ERROR", f"{field.name}: a text cannot hold the character U+0000")
    return value


def _number(field: Field, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(field, value)
    if not abs(value) <= _LARGEST:  # which is false of NaN as well
        message = f"{field.name}: value outside of valid range on numeric field: {value!s:.40}"
        raise ApiError(400, "NUMBER_OUTSIDE_VALID_RANGE", message, [field.name])
    return float(value) + 0.0  # which makes no difference but to minus zero


def _wrong(field: Field, value: Any) -> ApiError:
    message = (
        f"Cannot deserialize instance of {field.type} from {_token(value)} value {value!s:.40} or request "
        f"may be missing a required field at {field.name}"
    )
    return ApiError(400, "JSON_PARSER_ERROR", message)


def _token(value: Any) -> str:
    if isinstance(value, bool):
        return "VALUE_TRUE" if value else "VALUE_FALSE"
    if isinstance(value, int | float):
        return "VALUE_NUMBER_INT" if isinstance(value, int) else "VALUE_NUMBER_FLOAT"
    names = {str: "VALUE_STRING", list: "START_ARRAY", type(None): "VALUE_NULL"}
    return names.get(type(value), "START_OBJECT")


_TYPES: dict[FieldType, Callable[[Field, Any], str]] = {
    "id": _id,
    "reference": _id,
    "string": _text,
    "textarea": _text,
    "url": _text,
    "phone": _text,
    "picklist": _picklist,
    "email": _email,
    "boolean": _boolean,
    "int": _whole,
    "double": _fraction,
    "currency": _currency,
    "date": _day,
    "datetime": _moment,
}
