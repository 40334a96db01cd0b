"""The tokens of a statement, and the expressions that every clause has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Self, TypeVar

from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed, unexpected, unsupported
from worksmith.tools.kinds.crm.soql.scope import FUNCTIONS
from worksmith.tools.kinds.crm.soql.tree import Call, Expression, Number, Path

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

    Any other word is a token of kind `wrong`, which no parser takes.
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


T = TypeVar("T")

MAX_LENGTH = 100_000
"""Characters of a statement."""

MAX_DEPTH = 40
"""Parentheses, NOTs and sub-selects within each other."""

MAX_LISTED = 200
"""Things between commas, except in a list of values: SQLite bounds how many columns and keys there may be."""

RESERVED = frozenset(
    (
        *("AND", "AS", "ASC", "BY", "DESC", "DISTINCT", "EXCLUDES", "FIRST", "FOR"),
        *("FROM", "GROUP", "HAVING", "IN", "INCLUDES", "INNER", "JOIN", "LAST", "LEFT"),
        *("LIKE", "LIMIT", "NOT", "NULL", "NULLS", "OFFSET", "ON", "OR", "ORDER"),
        *("SELECT", "UNION", "UPDATE", "USING", "WHEN", "WHERE", "WITH", "ALL"),
    )
)
"""Words that cannot be an alias."""

_REFUSED = {
    "CONVERTCURRENCY": "convertCurrency()",
    "CONVERTTIMEZONE": "convertTimezone()",
    "DISTANCE": "DISTANCE()",
    "FORMAT": "FORMAT()",
    "GEOLOCATION": "GEOLOCATION()",
    "GROUPING": "GROUPING()",
    "TOLABEL": "toLabel()",
}
_LARGEST = 2**31 - 1


class Cursor:
    """A place in a list of tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @classmethod
    def of(cls, statement: str) -> Self:
        """A cursor at the beginning of `statement`."""
        return cls(tokenize(statement))

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def wrong(self) -> QueryError:
        return unexpected(self.token.shown, self.token.offset)

    def is_word(self, *words: str) -> bool:
        return self.token.word in words

    def take_word(self, *words: str) -> bool:
        """Step over these keywords if they come next, all of them or none of them."""
        ahead = self._tokens[self._at : self._at + len(words)]
        if [token.word for token in ahead] != list(words):
            return False
        self._at += len(words)
        return True

    def need_word(self, word: str) -> Token:
        if not self.is_word(word):
            raise self.wrong()
        return self.take()

    def is_symbol(self, text: str) -> bool:
        return self.token.kind == "symbol" and self.token.text == text

    def take_symbol(self, text: str) -> bool:
        if not self.is_symbol(text):
            return False
        self.take()
        return True

    def need_symbol(self, text: str) -> Token:
        if not self.is_symbol(text):
            raise self.wrong()
        return self.take()

    def name(self) -> Token:
        """A name that must come next, and is not a keyword that would end its list."""
        if self.token.kind != "name" or self.is_word("FROM", "SELECT", "WHERE"):
            raise self.wrong()
        return self.take()

    def number(self) -> Number:
        token = self.token
        if token.kind != "number" or not token.text.isdigit():
            raise self.wrong()
        if len(token.text) > 10 or int(token.text) > _LARGEST:
            raise malformed(f"number {token.text[:20]} is out of range", token.offset)
        self.take()
        return Number(int(token.text), token.offset)

    def path(self) -> Path:
        first = self.name()
        parts = [first.text]
        while self.take_symbol("."):
            if self.token.kind != "name":
                raise self.wrong()
            parts.append(self.take().text)
        return Path(tuple(parts), first.offset)

    def expression(self) -> Expression:
        if self.following.kind == "symbol" and self.following.text == "(" and self.token.kind == "name":
            return self._call()
        return self.path()

    def listed(self, read: Callable[[], T], most: int = MAX_LISTED) -> tuple[T, ...]:
        """One or more of what `read` reads, with commas between."""
        found = [read()]
        while self.take_symbol(","):
            if len(found) == most:
                raise malformed(f"at most {most} items can be listed", self.token.offset)
            found.append(read())
        return tuple(found)

    def nested(self, read: Callable[[], T]) -> T:
        """What `read` reads, one level deeper."""
        if self._depth >= MAX_DEPTH:
            message = f"query is nested too deeply: at most {MAX_DEPTH} levels are allowed"
            raise malformed(message, self.token.offset)
        self._depth += 1
        result = read()
        self._depth -= 1
        return result

    def _call(self) -> Call:
        token = self.token
        function = token.word
        if function in _REFUSED:
            raise unsupported(_REFUSED[function], token.offset)
        if function not in FUNCTIONS:
            self.take()
            raise self.wrong()
        self.take()
        self.need_symbol("(")
        if function == "COUNT" and self.take_symbol(")"):
            return Call(function, None, token.offset)
        if self.following.text == "(" and self.following.kind == "symbol" and self.token.word in _REFUSED:
            raise unsupported(_REFUSED[self.token.word], self.token.offset)
        argument = self.path()
        self.need_symbol(")")
        return Call(function, argument, token.offset)
