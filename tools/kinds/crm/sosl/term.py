"""What stands between the braces of FIND: words, "phrases", AND, OR, AND NOT, parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.sosl.tables import flat, singular, words

MAX_WORDS = 100
MAX_DEPTH = 20
MAX_WILD = 100
"""Characters of a word with wildcards."""

_PIECES = re.compile(
    r"""\s+
    |"(?P<phrase>(?:\\.|[^"\\])*)"
    |(?P<bracket>[()])
    |(?P<word>(?:\\.|[^\s"()\\])+)
    |(?P<wrong>["\\])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WILD = re.compile(r"\\.|[*?]", re.DOTALL)
NOTHING = '"\u2400"'
"""Matches no record: the index holds letters and digits only."""

Expand = Callable[[str], list[str]]
"""The words of an index that fit a pattern with `*` and `?`."""


@dataclass(frozen=True)
class Piece:
    """A word, phrase or parenthesis of a search term, escapes and all."""

    kind: Literal["word", "phrase", "bracket"]
    text: str
    offset: int

    @property
    def operator(self) -> str:
        """AND, OR or NOT in capitals; empty for anything else."""
        return self.text.upper() if self.kind == "word" and self.text.upper() in ("AND", "OR", "NOT") else ""


def pieces(term: str, offset: int) -> list[Piece]:
    """The pieces of a search term. `offset`: of the term in the statement."""
    found = []
    for match in _PIECES.finditer(term):
        kind = match.lastgroup
        if kind == "wrong":
            raise search_error(f"unexpected token: '{match[0]}'", offset + match.start())
        if kind is not None:
            found.append(Piece(kind, match[kind], offset + match.start()))  # type: ignore[arg-type]
    if not any(piece.kind != "bracket" for piece in found):
        raise search_error("No search term found", offset)
    if len(found) > MAX_WORDS:
        raise search_error(f"search terms cannot have more than {MAX_WORDS} words", offset)
    letters = re.sub(r"[\s*?]", "", _ESCAPE.sub(r"\1", term))
    if len(letters) < 2:
        raise search_error(f"search term must be longer than one character: {term.strip()}", offset)
    return found


def fts_query(given: list[Piece], expand: Expand, any_word: bool, end: int) -> str:
    """The term in the query language of FTS5.

    Args:
        any_word: words with nothing between them are alternatives.
        end: where the term ends in the statement.
    """
    reader = _Reader(given, expand, any_word, end)
    return reader.whole()


def search_error(message: str, offset: int | None = None) -> QueryError:
    return QueryError("MALFORMED_SEARCH", message, offset)


class _Reader:
    """AND NOT binds closest, then AND, then OR."""

    def __init__(self, given: list[Piece], expand: Expand, any_word: bool, end: int) -> None:
        self._pieces = given
        self._expand = expand
        self._between = "OR" if any_word else "AND"
        self._end = end
        self._at = 0
        self._depth = 0

    def whole(self) -> str:
        found = self._either()
        if self._at < len(self._pieces):
            raise self._wrong()
        return found

    def _next(self) -> Piece | None:
        return self._pieces[self._at] if self._at < len(self._pieces) else None

    def _wrong(self) -> QueryError:
        piece = self._next()
        if piece is None:
            return search_error("unexpected token: <EOF>", self._end)
        return search_error(f"unexpected token: '{piece.text}'", piece.offset)

    def _operator(self, *names: str) -> bool:
        ahead = self._pieces[self._at : self._at + len(names)]
        if [piece.operator for piece in ahead] != list(names):
            return False
        self._at += len(names)
        return True

    def _either(self) -> str:
        parts = [self._all()]
        while self._operator("OR"):
            parts.append(self._all())
        return _joined("OR", parts)

    def _all(self) -> str:
        parts = [self._loose()]
        while not self._at_not() and self._operator("AND"):
            parts.append(self._loose())
        return _joined("AND", parts)

    def _loose(self) -> str:
        parts = [self._but()]
        while (piece := self._next()) and not piece.operator and (piece.kind, piece.text) != ("bracket", ")"):
            parts.append(self._but())
        return _joined(self._between, parts)

    def _but(self) -> str:
        found = self._unit()
        while self._at_not():
            self._at += 2
            found = f"({found} NOT {self._unit()})"
        return found

    def _at_not(self) -> bool:
        return [piece.operator for piece in self._pieces[self._at : self._at + 2]] == ["AND", "NOT"]

    def _unit(self) -> str:
        piece = self._next()
        if piece is None or piece.operator or (piece.kind, piece.text) == ("bracket", ")"):
            raise self._wrong()
        self._at += 1
        if piece.kind == "phrase":
            return _phrase(words(_ESCAPE.sub(r"\1", piece.text)))
        if piece.kind == "word":
            return self._word(piece)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise search_error(f"search terms cannot nest more than {MAX_DEPTH} parentheses", piece.offset)
        found = self._either()
        closing = self._next()
        if closing is None or closing.text != ")" or closing.kind != "bracket":
            raise self._wrong()
        self._at += 1
        self._depth -= 1
        return found

    def _word(self, piece: Piece) -> str:
        if not any(wild[0] in "*?" for wild in _WILD.finditer(piece.text)):
            return _phrase(words(_ESCAPE.sub(r"\1", piece.text)))
        if len(piece.text) > MAX_WILD:
            message = f"words with wildcards cannot have more than {MAX_WILD} characters"
            raise search_error(message, piece.offset)
        parts = re.findall(r"[^\W_*?][^\W_]*(?:[*?]+[^\W_]*)*|[*?]+", flat(_ESCAPE.sub(r"\1", piece.text)))
        if not parts or parts[0][0] in "*?":
            message = "wildcards can stand in the middle or at the end of a word only"
            raise search_error(f"{message}: {piece.text}", piece.offset)
        return _joined("AND", [self._matching(part) for part in parts])

    def _matching(self, pattern: str) -> str:
        if pattern.isalnum():
            return _phrase([singular(pattern)])
        matching = self._expand(pattern)
        return _joined("OR", [_phrase([word]) for word in matching]) if matching else NOTHING


def _phrase(found: list[str]) -> str:
    return f'"{" ".join(found)}"' if found else NOTHING


def _joined(operator: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({f' {operator} '.join(parts)})"
