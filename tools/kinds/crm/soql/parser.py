"""Parsing SELECT statements.

Written by hand rather than from a grammar: agents are tested on how they recover from errors, so the code,
the text and the place of each error matter, and they depend on what was being read when it went wrong. A
parser generator would tell the place, but the texts would have to be written for each state anyway.
"""

from __future__ import annotations

from dataclasses import replace

from tools.kinds.crm.soql.conditions import ConditionParser
from tools.kinds.crm.soql.cursor import MAX_LENGTH, RESERVED
from tools.kinds.crm.soql.errors import malformed, unsupported
from tools.kinds.crm.soql.tree import (
    AllFields,
    ChildSelect,
    Clauses,
    Expression,
    Item,
    Order,
    Query,
    Selected,
)

_AGES = ("VIEW", "REFERENCE")


def parse(statement: str) -> Query:
    """The query that `statement` is.

    Raises:
        QueryError: it is none; without the statement, which the caller adds.
    """
    check_length(statement)
    parser = SelectParser.of(statement)
    query = parser.query()
    parser.end()
    return query


def check_length(statement: str) -> None:
    if len(statement) > MAX_LENGTH:
        raise malformed(f"SOQL statements cannot be longer than {MAX_LENGTH} characters")


class SelectParser(ConditionParser):
    def query(self) -> Query:
        query = self._select()
        self._closing()
        return query

    def end(self) -> None:
        if self.token.kind != "end":
            raise self.wrong()

    def inner_query(self) -> Query:
        return self._select()

    def clauses(self, source: str, offset: int) -> Clauses:
        """WHERE, GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET, as far as they are there."""
        found = Clauses(source, offset)
        if self.is_word("USING"):
            raise unsupported("USING SCOPE", self.token.offset)
        if self.take_word("WHERE"):
            found = replace(found, where=self.condition())
        if self.is_word("WITH"):
            raise unsupported("WITH", self.token.offset)
        if self.take_word("GROUP"):
            self.need_word("BY")
            found = replace(found, group=self.listed(self._group_key))
        if self.take_word("HAVING"):
            found = replace(found, having=self.condition())
        if self.take_word("ORDER"):
            self.need_word("BY")
            found = replace(found, order=self.listed(self._order_key))
        if self.take_word("LIMIT"):
            found = replace(found, limit=self.number())
        if self.take_word("OFFSET"):
            found = replace(found, skip=self.number())
        return found

    def _select(self) -> Query:
        start = self.need_word("SELECT").offset
        selected = self.listed(self._selected)
        self.need_word("FROM")
        source = self.path()
        alias = self._alias()
        if self.is_symbol(","):
            raise unsupported("a list of relationships in FROM", self.token.offset)
        clauses = self.clauses(source.text, source.offset)
        return Query(selected, replace(clauses, alias=alias), start)

    def _alias(self) -> str:
        if self.token.kind == "name" and self.token.word not in RESERVED:
            return self.take().text
        return ""

    def _selected(self) -> Selected:
        token = self.token
        if self.is_symbol("("):
            self.take()
            if not self.is_word("SELECT"):
                raise self.wrong()
            query = self.nested(self._select)
            self.need_symbol(")")
            return ChildSelect(query, token.offset)
        if self.is_word("TYPEOF") and self.following.kind == "name" and self.following.word != "FROM":
            raise unsupported("TYPEOF", token.offset)
        if self.is_word("FIELDS") and self.following.text == "(" and self.following.kind == "symbol":
            return self._all_fields()
        expression = self.expression()
        return Item(expression, self._alias(), token.offset)

    def _all_fields(self) -> AllFields:
        start = self.take().offset
        self.need_symbol("(")
        if not self.is_word("ALL", "STANDARD", "CUSTOM"):
            raise self.wrong()
        which = self.take().word
        self.need_symbol(")")
        return AllFields(which, start)

    def _group_key(self) -> Expression:
        for extra in ("ROLLUP", "CUBE"):
            if self.is_word(extra) and self.following.text == "(":
                raise unsupported(f"GROUP BY {extra}", self.token.offset)
        return self.expression()

    def _order_key(self) -> Order:
        expression = self.expression()
        descending = not self.take_word("ASC") and self.take_word("DESC")
        nulls_last = False
        if self.take_word("NULLS"):
            if not self.is_word("FIRST", "LAST"):
                raise self.wrong()
            nulls_last = self.take().word == "LAST"
        return Order(expression, descending, nulls_last, expression.offset)

    def _closing(self) -> None:
        """FOR VIEW and FOR REFERENCE only tell the platform what was looked at."""
        while self.is_word("FOR"):
            start = self.take().offset
            if self.is_word("UPDATE"):
                raise unsupported("FOR UPDATE", start)
            if not self.is_word(*_AGES):
                raise self.wrong()
            self.take()
            self.take_symbol(",")
        if self.is_word("ALL") and self.following.word == "ROWS":
            raise unsupported("ALL ROWS", self.token.offset)
        if self.is_word("UPDATE"):
            raise unsupported("UPDATE TRACKING and UPDATE VIEWSTAT", self.token.offset)
