"""The words of a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tools.kinds.crm.soql.errors import malformed

Kind = Literal["name", "string", "number", "date", "datetime", "symbol", "wrong", "end"]

_WORDS = re.compile(
    r"""(?P<space>\s+)
    |(?P<datetime>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)(?![\w.]))
    |(?P<date>\d{4}-\d\d-\d\d(?![\w.:-]))
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?![\w.:]|-\d))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<symbol><=|>=|!=|<>|[=<>(),.:])
    |(?P<string>')
    |(?P<wrong>[0-9][\w.:+-]*|.)""",
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
"""By the letter behind the backslash, in any case."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a statement.

    Attributes:
        text: as written; of a string, its value.
        offset: where it starts.
        pattern: of a string, its value as a pattern for LIKE: wildcards that were escaped still are.
    """

    kind: Kind
    text: str
    offset: int
    pattern: str = ""

    @property
    def word(self) -> str:
        """A name in capitals, to compare with keywords; empty for anything else."""
        return self.text.upper() if self.kind == "name" else ""

    @property
    def shown(self) -> str:
        return "<EOF>" if self.kind == "end" else self.text


def tokenize(statement: str) -> list[Token]:
    """The tokens of `statement`, with one of kind `end` after the last.

    What is no word of the language is a token of kind `wrong`, which no parser takes.
    """
    return list(_tokens(statement))


def _tokens(statement: str) -> Iterator[Token]:
    at = 0
    while at < len(statement):
        found = _WORDS.match(statement, at)
        assert found is not None  # the last alternatives take any character but a newline, which is space
        kind = found.lastgroup
        if kind == "string":
            token, at = _string(statement, at)
            yield token
            continue
        if kind != "space":
            yield Token(kind, found[0], at)  # type: ignore[arg-type]  # the groups are named after the kinds
        at = found.end()
    yield Token("end", "", len(statement.rstrip()))


def _string(statement: str, start: int) -> tuple[Token, int]:
    value: list[str] = []
    pattern: list[str] = []
    at = start + 1
    while at < len(statement):
        letter = statement[at]
        if letter == "'":
            return Token("string", "".join(value), start, "".join(pattern)), at + 1
        if letter == "\\":
            plain, in_pattern, at = _escape(statement, at)
        else:
            plain = in_pattern = letter
            at += 1
        value.append(plain)
        pattern.append(in_pattern)
    raise malformed(f"line {_line(statement)} mismatched character '<EOF>' expecting '''", start)


def _escape(statement: str, at: int) -> tuple[str, str, int]:
    """The value of an escape sequence, the same in a pattern, and where it ends."""
    letter = statement[at + 1 : at + 2]
    if letter in ("_", "%"):
        return letter, "\\" + letter, at + 2
    if letter in ("u", "U"):
        digits = statement[at + 2 : at + 6]
        if re.fullmatch(r"[0-9a-fA-F]{4}", digits) and not 0xD800 <= int(digits, 16) < 0xE000:
            character = chr(int(digits, 16))
            return character, "\\" + character if character in "\\%_" else character, at + 6
    plain = _ESCAPES.get(letter.lower(), "")
    if not plain:
        raise malformed(f"Invalid string literal: \\{letter} is no escape sequence", at)
    return plain, "\\\\" if plain == "\\" else plain, at + 2


def _line(statement: str) -> str:
    last = statement.rfind("\n") + 1
    return f"{statement.count(chr(10)) + 1}:{len(statement) - last}"
