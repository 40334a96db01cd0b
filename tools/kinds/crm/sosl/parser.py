"""Parsing FIND statements."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worksmith.tools.kinds.crm.soql.cursor import Cursor
from worksmith.tools.kinds.crm.soql.errors import unexpected, unsupported
from worksmith.tools.kinds.crm.soql.parser import Parser, check_length
from worksmith.tools.kinds.crm.soql.tree import Clauses, Item, Number, Path, Query
from worksmith.tools.kinds.crm.sosl.tables import GROUPS
from worksmith.tools.kinds.crm.sosl.term import search_error

_START = re.compile(r"\s*FIND\b\s*", re.IGNORECASE)
_BRACES = re.compile(r"\{((?:\\.|[^}\\])*)(\}?)", re.DOTALL)
_FIELDS = {
    "ALL": GROUPS,
    "NAME": ("name",),
    "EMAIL": ("email",),
    "PHONE": ("phone",),
    "SIDEBAR": ("name", "email", "phone"),
}


@dataclass(frozen=True)
class Search:
    """A FIND statement.

    Attributes:
        term: what stands between the braces.
        offset: where it begins.
        groups: of fields in which to search.
        returning: for each object, what to select; the object names are still to be looked up.
        limit: over all objects.
    """

    term: str
    offset: int
    groups: tuple[str, ...]
    returning: tuple[Query, ...]
    limit: Number | None


def parse_search(statement: str) -> Search:
    """The search that `statement` is."""
    check_length(statement)
    start = _START.match(statement)
    if start is None:
        cursor = Cursor.of(statement)
        raise cursor.wrong()
    braces = _BRACES.match(statement, start.end())
    if braces is None:
        message = "No search term found. The search term must be enclosed in braces."
        raise search_error(message, start.end())
    if not braces[2]:
        line = statement.count("\n") + 1
        column = len(statement) - statement.rfind("\n") - 1
        message = f"line {line}:{column} mismatched character '<EOF>' expecting '}}'"
        raise search_error(message, start.end())
    # Blanks in place of the read part, so that every token keeps its position in the statement.
    rest = re.sub(r"[^\n]", " ", statement[: braces.end()]) + statement[braces.end() :]
    return _SearchParser.of(rest).search(braces[1], braces.start() + 1)


class _SearchParser(Parser):
    def search(self, term: str, offset: int) -> Search:
        groups: tuple[str, ...] = GROUPS
        if self.take_word("IN"):
            if not self.is_word(*_FIELDS):
                raise self.wrong()
            groups = _FIELDS[self.take().word]
            self.need_word("FIELDS")
        returning = self.listed(self._returned) if self.take_word("RETURNING") else ()
        if self.is_word("WITH"):
            raise unsupported("WITH", self.token.offset)
        limit = self.number() if self.take_word("LIMIT") else None
        if self.is_word("UPDATE"):
            raise unsupported("UPDATE TRACKING and UPDATE VIEWSTAT", self.token.offset)
        self.end()
        return Search(term, offset, groups, returning, limit)

    def _returned(self) -> Query:
        source = self.name()
        if not self.take_symbol("("):
            item = Item(Path(("Id",), source.offset), "", source.offset)
            return Query((item,), Clauses(source.text, source.offset), source.offset)
        items = self.listed(self._item)
        clauses = self.clauses(source.text, source.offset)
        if clauses.group or clauses.having:
            raise unexpected("GROUP" if clauses.group else "HAVING", source.offset)
        self.need_symbol(")")
        return Query(items, clauses, source.offset)

    def _item(self) -> Item:
        path = self.path()
        return Item(path, "", path.offset)
