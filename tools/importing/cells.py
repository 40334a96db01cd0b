"""The ways in which published systems write values in files.

A cell is read from JSON (text, `Number`, list, ...) into the world's text or NULL.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any


class Number(str):
    """A number as the file has it: neither rounded nor limited in size."""

    __slots__ = ()


Read = Callable[[Any], str | None]
"""Gives the world's text for a value of a file; raises `ValueError` with what is wrong with it."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What neither SQLite nor UTF-8 can hold; U+FFFD stands in for it."""

_MOST_DIGITS = 30


def plain(value: Any) -> str | None:
    """The text of a scalar, as it stands; None for nothing but space."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, Number):
        if value in ("NaN", "Infinity", "-Infinity"):
            raise ValueError(f"{value} is no number")
        if len(value) > _MOST_DIGITS:
            raise ValueError(f"a number of {len(value)} digits")
        return str(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    raise ValueError(f"{_named(value)} where a single value is expected")


def _named(value: Any) -> str:
    return "a list" if isinstance(value, list) else "an object"


def _trimmed(value: Any) -> str | None:
    text = plain(value)
    return None if text is None else text.strip() or None


def _texts(value: Any) -> str | None:
    if isinstance(value, list):
        return ", ".join(text for item in value if (text := _trimmed(item))) or None
    return _trimmed(value)


def _token(value: Any) -> str | None:
    """The text before a stray quote or newline; debris comes after it, such as the file's next key."""
    text = _trimmed(value)
    return (re.split(r"[\r\n\"]", text, maxsplit=1)[0].strip() or None) if text else None


def _lower(value: Any) -> str | None:
    text = _token(value)
    return text.lower() if text else None


def _tags(value: Any) -> str | None:
    text = _texts(value)
    return ", ".join(re.findall(r"<([^<>]+)>", text)) if text and text.startswith("<") else text


_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?)?"
    r"(?: ?(?:IST|UTC|Z|[+-]\d\d:?\d\d))?"
)
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))?)?")


def _date(value: Any) -> str | None:
    text = _trimmed(value)
    if text is None:
        return None
    if found := _ISO.fullmatch(text):
        year, month, day, *time = found.groups()
    elif found := _DAY_FIRST.fullmatch(text):
        day, month, year, *time = found.groups()
    else:
        raise ValueError(f"{text[:40]!r} is not a date")
    hour, minute, second = (int(part or 0) for part in time)
    moment = datetime(int(year), int(month), int(day), hour, minute, second)
    return moment.isoformat() if time[0] else moment.date().isoformat()


def _leaving(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip().lower() == "present" else _date(value)


_CURRENCIES = {
    "₹": "INR",
    "rs": "INR",
    "rs.": "INR",
    "inr": "INR",
    "$": "USD",
    "usd": "USD",
    "€": "EUR",
    "£": "GBP",
}
_AMOUNT = re.compile(r"([^\d\s.,-]+\.?)?\s*(-?[\d,]*\.?\d+)\s*(%|[A-Za-z]{3})?")


def _amount(currency: str | None) -> Callable[[Any], str | None]:
    def read(value: Any) -> str | None:
        text = _trimmed(value)
        if text is None:
            return None
        found = _AMOUNT.fullmatch(text)
        unit = found and (found[1] or found[3])
        if not found or (unit and _CURRENCIES.get(unit.lower()) not in (currency,)):
            raise ValueError(f"{text[:40]!r} is not an amount" + (f" in {currency}" if currency else ""))
        return _decimal(found[2].replace(",", ""))

    return read


def _decimal(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"{text[:40]!r} is not a number") from error
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"{text[:40]!r} is out of range")
    return format(number, "f")


def _number(value: Any) -> str | None:
    text = _trimmed(value)
    return None if text is None else _decimal(text.replace(",", ""))


def _whole(value: Any) -> str | None:
    text = _number(value)
    if text is None:
        return None
    if Decimal(text) != int(Decimal(text)):
        raise ValueError(f"{text!r} is not a whole number")
    return str(int(Decimal(text)))


def _percent(value: Any) -> str | None:
    text = _trimmed(value)
    return None if text is None else _decimal(text.removesuffix("%").strip())


def _flag(value: Any) -> str | None:
    text = _trimmed(value)
    if text is None:
        return None
    if text.lower() in ("true", "yes", "1"):
        return "TRUE"
    if text.lower() in ("false", "no", "0"):
        return "FALSE"
    raise ValueError(f"{text[:40]!r} is neither true nor false")


def _level(value: Any) -> str | None:
    """The two digits of a level; the department's letters before them are checked elsewhere."""
    text = _trimmed(value)
    if text is None:
        return None
    found = re.fullmatch(r"[A-Za-z]{0,3}[ -]?(\d{1,2})", text)
    if not found:
        raise ValueError(f"{text[:40]!r} is not a level")
    return found[1].zfill(2)


def numbered(prefix: str) -> Read:
    """Read an id that is a number in the file: `0` becomes `SAL-0`. Other ids stay as they are."""

    def read(value: Any) -> str | None:
        text = _trimmed(value)
        if text is not None and (found := re.fullmatch(r"(\d+)(?:\.0+)?", text)):
            return f"{prefix}-{found[1]}"
        return text

    return read


READERS: dict[str, Read] = {
    "body": plain,
    "text": _trimmed,
    "texts": _texts,
    "token": _token,
    "priority": _lower,
    "tags": _tags,
    "date": _date,
    "mail_date": _date,
    "joined": _date,
    "left": _leaving,
    "rupees": _amount("INR"),
    "dollars": _amount("USD"),
    "number": _number,
    "whole": _whole,
    "percent": _percent,
    "flag": _flag,
    "level": _level,
}
"""By the name of a way to write values."""
