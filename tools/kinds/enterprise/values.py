"""Reading the values of a call as people write them, and refusing what makes no sense."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from tools.errors import ToolError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_NUMBER = re.compile(
    r"(?:[₹$€£]|INR|USD|EUR|Rs\.?)?\s*(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s*(?:INR|USD|EUR|%)?", re.IGNORECASE
)


def required(name: str, value: str) -> str:
    text = value.strip()
    if not text:
        raise ToolError(f"{name} is missing.")
    return text


def day(name: str, value: str) -> str:
    """A day as cells hold it, YYYY-MM-DD; a time of day is dropped.

    Raises:
        ToolError: it names no day.
    """
    found = _DAY.match(value.strip())
    try:
        return date.fromisoformat(found[0] if found else "").isoformat()
    except ValueError:
        raise ToolError(f"{name}: {value!r} is no date; write YYYY-MM-DD.") from None


def past_day(name: str, value: str, today: date) -> str:
    """A day that is not in the future; `today` by default."""
    if not value.strip():
        return today.isoformat()
    found = day(name, value)
    if found > today.isoformat():
        raise ToolError(f"{name}: {found} lies in the future; today is {today.isoformat()}.")
    return found


def number(name: str, value: str, least: float = 0, most: float = 1e12) -> Decimal:
    """A number written plainly or with a currency sign, thousands separators or a percent sign."""
    match = _NUMBER.fullmatch(value.strip())
    if match is None:
        raise ToolError(f"{name}: {value!r} is no number.")
    found = Decimal(match[1].replace(",", ""))
    if not least <= found <= most:
        bounds = f"at least {least:g}" if found < least else f"at most {most:g}"
        raise ToolError(f"{name}: {value!r} must be {bounds}.")
    return found


def amount(name: str, value: str) -> str:
    """An amount as cells hold it: plain, without trailing zeros beyond cents."""
    found = number(name, value)
    return str(int(found)) if found == int(found) else f"{found:.2f}"


def whole(name: str, value: str, least: int = 0, most: int = 10**9) -> str:
    """A whole number as cells hold it."""
    found = number(name, value, least, most)
    if found != int(found):
        raise ToolError(f"{name}: {value!r} is no whole number.")
    return str(int(found))


def choice(name: str, value: str, choices: Sequence[str]) -> str:
    """The member of `choices` that is meant, whatever its letter case."""
    wanted = value.strip().lower()
    for known in choices:
        if known.lower() == wanted:
            return known
    raise ToolError(f"{name}: {value!r} is none of {', '.join(choices)}.")


def changes(**values: str | None) -> dict[str, str]:
    """What an update call really asks for: its arguments without the empty ones.

    Raises:
        ToolError: nothing is left.
    """
    given = {name: value.strip() for name, value in values.items() if value and value.strip()}
    if not given:
        raise ToolError(f"Nothing to change: give at least one of {', '.join(values)}.")
    return given
