"""Arguments of tool calls: texts are read as days, numbers or choices, or refused with a `ToolError`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from worksmith.tools.errors import ToolError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_NUMBER = re.compile(
    r"(?:[₹$€£]|INR|USD|EUR|Rs\.?)?\s*(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s*(?:INR|USD|EUR|%)?", re.IGNORECASE
)


def required(name: str, value: str) -> str:
    """A text without spaces at its ends.

    Args:
        name: that of the argument, for messages; so in all functions here.

    Raises:
        ToolError: the text is empty.
    """
    text = value.strip()
    if not text:
        raise ToolError(f"{name} is missing.")
    return text


def day(name: str, value: str) -> str:
    """A day in the form of cells, YYYY-MM-DD; a time of day is dropped.

    Raises:
        ToolError: the text is no date.
    """
    found = _DAY.match(value.strip())
    try:
        return date.fromisoformat(found[0] if found else "").isoformat()
    except ValueError:
        raise ToolError(f"{name}: {value!r} is no date; write YYYY-MM-DD.") from None


def past_day(name: str, value: str, today: date) -> str:
    """A day that is not in the future, YYYY-MM-DD; `today` for an empty text.

    Raises:
        ToolError: the text is no date, or a later one.
    """
    if not value.strip():
        return today.isoformat()
    found = day(name, value)
    if found > today.isoformat():
        raise ToolError(f"{name}: {found} lies in the future; today is {today.isoformat()}.")
    return found


def number(name: str, value: str, least: float = 0, most: float = 1e12) -> Decimal:
    """A number; the text may have a currency, thousands separators or a percent sign.

    Raises:
        ToolError: the text is no number, or one below `least` or above `most`.
    """
    match = _NUMBER.fullmatch(value.strip())
    if match is None:
        raise ToolError(f"{name}: {value!r} is no number.")
    found = Decimal(match[1].replace(",", ""))
    if not least <= found <= most:
        bounds = f"at least {least:g}" if found < least else f"at most {most:g}"
        raise ToolError(f"{name}: {value!r} must be {bounds}.")
    return found


def amount(name: str, value: str) -> str:
    """An amount in the form of cells: whole, or with two decimals.

    Raises:
        ToolError: see `number`.
    """
    found = number(name, value)
    return str(int(found)) if found == int(found) else f"{found:.2f}"


def whole(name: str, value: str, least: int = 0, most: int = 10**9) -> str:
    """A whole number in the form of cells: digits alone.

    Raises:
        ToolError: the number is not whole; also see `number`.
    """
    found = number(name, value, least, most)
    if found != int(found):
        raise ToolError(f"{name}: {value!r} is no whole number.")
    return str(int(found))


def choice(name: str, value: str, choices: Sequence[str]) -> str:
    """The member of `choices` that equals the text in any letter case, with blanks for its underscores.

    Raises:
        ToolError: there is none.
    """
    wanted = value.strip().lower()
    for known in choices:
        if known.lower() in (wanted, wanted.replace(" ", "_")):
            return known
    raise ToolError(f"{name}: {value!r} is none of {', '.join(choices)}.")


def changes(**values: str | None) -> dict[str, str]:
    """The arguments of an update call that are not empty.

    Raises:
        ToolError: all are empty.
    """
    found = {name: value.strip() for name, value in values.items() if value and value.strip()}
    if not found:
        raise ToolError(f"Nothing to change: give at least one of {', '.join(values)}.")
    return found
