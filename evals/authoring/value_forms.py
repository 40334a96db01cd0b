"""Finds a value in a text in any form: dates in words, amounts with separators."""

from __future__ import annotations

import re
from datetime import date

import regex  # type: ignore[import-untyped]

from worksmith.retrievers.texts.words import WORD, folded

_ISO = re.compile(r"^\d{4}-\d\d-\d\d")
_WORD = regex.compile(rf"(?!_){WORD}")
_NUMBER = re.compile(r"^-?\d+(?:\.\d+)?$")


def tells(text: str, value: str) -> bool:
    """Whether `value` stands in `text` on its own, not as a part of a longer word or number."""
    said = folded(text)
    return any(_stands(said, folded(form)) for form in forms(value))


def forms(value: str) -> list[str]:
    """The ways in which texts write a value."""
    if _ISO.match(value):
        return _dates(date.fromisoformat(value[:10]), value)
    if _NUMBER.match(value):
        return _numbers(value)
    return [value]


def _dates(day: date, value: str) -> list[str]:
    month = day.strftime("%B")
    return [
        value,
        day.isoformat(),
        *(f"{day.day} {name} {day.year}" for name in (month, month[:3])),
        *(f"{name} {day.day}, {day.year}" for name in (month, month[:3])),
        *(f"{day.day} {name}" for name in (month, month[:3])),
        *(f"{name} {day.day}" for name in (month, month[:3])),
        day.strftime("%d.%m.%Y"),
        day.strftime("%d/%m/%Y"),
        day.strftime("%d-%m-%Y"),
    ]


def _numbers(value: str) -> list[str]:
    number = float(value)
    whole, _, decimals = value.partition(".")
    written = [value, f"{int(whole):,}" + (f".{decimals}" if decimals else ""), _indian(whole)]
    if number == int(number):
        written += [f"{int(number)}", f"{int(number):,}", _indian(str(int(number)))]
    return written


def _indian(digits: str) -> str:
    """Grouped as in India: 12,34,567."""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    head, tail = digits[:-3], digits[-3:]
    groups: list[str] = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return sign + ",".join([*groups, tail])


def _stands(text: str, value: str) -> bool:
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before, after = text[max(0, start - 2) : start], text[end : end + 2][::-1]
        if not (_joined(before, value[0]) or _joined(after, value[-1])):
            return True
        start = text.find(value, start + 1)
    return False


def _joined(beside: str, edge: str) -> bool:
    """Whether the two characters beside a value (the nearer one last) make it part of something longer."""
    near, far = beside[-1:], beside[-2:-1]
    return bool(_WORD.match(near)) or (near in (".", ",") and far.isdigit() and edge.isdigit())
