"""Parsing SELECT statements.

Written by hand rather than from a grammar: agents are tested on their recovery from errors, so the code, the
text and the place of each error matter, and they depend on the part that was being read. A parser generator
would give the place, but the texts would need to be written for each state anyway.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from worksmith.tools.kinds.crm.soql.cursor import MAX_LENGTH, RESERVED, Cursor
from worksmith.tools.kinds.crm.soql.errors import malformed, unsupported
from worksmith.tools.kinds.crm.soql.literals import is_counted_period, is_period
from worksmith.tools.kinds.crm.soql.tree import (
    AllFields,
    Chain,
    ChildSelect,
    Clauses,
    Compare,
    Comparison,
    Condition,
    Expression,
    Includes,
    Item,
    LiteralKind,
    Member,
    Not,
    Order,
    Query,
    Selected,
    SemiJoin,
    Value,
)

_SYMBOLS: tuple[Comparison, ...] = ("=", "!=", "<", "<=", ">", ">=")
_OPERATORS: dict[str, Comparison] = {"<>": "!=", **{each: each for each in _SYMBOLS}}
_KINDS: tuple[LiteralKind, ...] = ("string", "number", "date", "datetime")
_LITERALS: dict[str, LiteralKind] = {each: each for each in _KINDS}
_WORDS: dict[str, LiteralKind] = {"NULL": "null", "TRUE": "boolean", "FALSE": "boolean"}
_AGES = ("VIEW", "REFERENCE")


def parse(statement: str) -> Query:
    """The query that `statement` is."""
    check_length(statement)
    parser = Parser.of(statement)
    query = parser.query()
    parser.end()
    return query


def check_length(statement: str) -> None:
    if len(statement) > MAX_LENGTH:
        raise malformed(f"SOQL statements cannot be longer than {MAX_LENGTH} characters")


class Parser(Cursor):
    def query(self) -> Query:
        query = self._select()
        self._closing()
        return query

    def end(self) -> None:
        if self.token.kind != "end":
            raise self.wrong()

    def clauses(self, source: str, offset: int) -> Clauses:
        """WHERE, GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET, if present."""
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
        """FOR VIEW and FOR REFERENCE only tell the platform the viewed records."""
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

    def condition(self) -> Condition:
        """Terms joined by AND, or by OR; to mix them takes parentheses."""
        start = self.token.offset
        parts = [self._term()]
        connector = ""
        while self.is_word("AND", "OR"):
            if connector and self.token.word != connector:
                raise self.wrong()
            connector = self.take().word
            parts.append(self._term())
        if not connector:
            return parts[0]
        return Chain(cast(Literal["AND", "OR"], connector), tuple(parts), start)

    def _term(self) -> Condition:
        token = self.token
        if self.take_word("NOT"):
            return Not(self.nested(self._term), token.offset)
        if self.is_symbol("("):
            return self.nested(self._in_parentheses)
        return self._comparison()

    def _in_parentheses(self) -> Condition:
        self.need_symbol("(")
        inner = self.condition()
        self.need_symbol(")")
        return inner

    def _comparison(self) -> Condition:
        left = self.expression()
        token = self.token
        if token.kind == "symbol" and token.text in _OPERATORS:
            self.take()
            return Compare(left, _OPERATORS[token.text], self._value(), left.offset)
        if self.take_word("LIKE"):
            return Compare(left, "LIKE", self._value(), left.offset)
        if self.take_word("NOT"):
            self.need_word("IN")
            return self._membership(left, negated=True)
        if self.take_word("IN"):
            return self._membership(left, negated=False)
        if self.is_word("INCLUDES", "EXCLUDES"):
            operator = self.take().word
            self._values()
            return Includes(left, operator, left.offset)
        raise self.wrong()

    def _membership(self, left: Expression, negated: bool) -> Condition:
        if self.is_symbol(":"):
            raise malformed("Bind variables only allowed in Apex code", self.token.offset)
        if self.is_symbol("(") and self.following.word == "SELECT":
            self.take()
            query = self.nested(self._select)
            self.need_symbol(")")
            return SemiJoin(left, negated, query, left.offset)
        return Member(left, negated, self._values(), left.offset)

    def _values(self) -> tuple[Value, ...]:
        """A list in parentheses, more than one pair of which may stand around it."""
        self.need_symbol("(")
        values = self.nested(self._values) if self.is_symbol("(") else self.listed(self._value, MAX_LENGTH)
        self.need_symbol(")")
        return values

    def _value(self) -> Value:
        token = self.token
        if token.kind in _LITERALS:
            self.take()
            return Value(_LITERALS[token.kind], token.text, token.offset, token.pattern)
        if token.word in _WORDS:
            self.take()
            return Value(_WORDS[token.word], token.word, token.offset)
        if self.is_symbol(":"):
            raise malformed("Bind variables only allowed in Apex code", token.offset)
        if is_period(token.word):
            self.take()
            return Value("period", token.word, token.offset)
        if is_counted_period(token.word):
            self.take()
            self.need_symbol(":")
            return Value("period", token.word, token.offset, count=self.number().value)
        raise self.wrong()
