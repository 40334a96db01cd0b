"""Statements of a query language: fixed words in capitals and names, and values between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_STATEMENT = re.compile(r"[A-Z]{3,}\b.*?\b[A-Z]{3,}\b", re.DOTALL)
_SLOT = re.compile(
    r"\(\s*(?P<list>'[^']*'(?:\s*,\s*'[^']*')*)\s*\)"
    r"|'(?P<text>(?:[^'\\]|\\.)*)'"
    r"|\{(?P<quote>\"?)(?P<term>[^{}\"]*)(?P=quote)\}"
    r"|(?<![\w.-])(?P<moment>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)(?![\w.-])"
    r"|(?<![\w.-])(?P<number>\d+(?:\.\d+)?)(?![\w.-])"
)
_ONE = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Form:
    """A statement, taken apart.

    Attributes:
        fixed: the texts before, between and after the values; one more than there are values.
        values: the values without their marks; lists with the marks of their entries.
    """

    fixed: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def skeleton(self) -> str:
        """The part that statements of one making share."""
        return "?".join(self.fixed)

    def with_values(self, values: list[str]) -> str:
        return interleaved(self.fixed, values)


def interleaved(fixed: Sequence[str], values: Sequence[str]) -> str:
    """Fixed texts with values between them."""
    return fixed[0] + "".join(value + text for value, text in zip(values, fixed[1:], strict=True))


@lru_cache(maxsize=8192)
def read_form(text: str) -> Form | None:
    """The parts of a statement; None for any other text."""
    if not _STATEMENT.match(text):
        return None
    fixed, values, done = [], [], 0
    for match in _SLOT.finditer(text):
        kind = next(name for name in ("list", "text", "term", "moment", "number") if match[name] is not None)
        fixed.append(text[done : match.start(kind)])
        values.append(match[kind])
        done = match.end(kind)
    return Form((*fixed, text[done:]), tuple(values))


def entries(text: str) -> tuple[str, ...]:
    """The entries of a list in a statement; none if the text is no such list."""
    found = tuple(_ONE.findall(text)) if text.startswith("'") else ()
    return found if found and written(found) == re.sub(r"\s*,\s*", ", ", text) else ()


def written(values: tuple[str, ...]) -> str:
    """Values as a list in a statement."""
    return ", ".join(f"'{value}'" for value in values)
