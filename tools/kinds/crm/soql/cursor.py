"""Reading a statement token by token, and the expressions that every clause has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

from tools.kinds.crm.soql.errors import QueryError, malformed, unexpected, unsupported
from tools.kinds.crm.soql.scope import FUNCTIONS
from tools.kinds.crm.soql.tokens import Token, tokenize
from tools.kinds.crm.soql.tree import Call, Expression, Number, Path

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
"""Words that are no alias."""

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
        """Step over these keywords if they come next, all of them or none."""
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
        """A name that must come next, and is no keyword that would end the list it stands in."""
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
