"""Parsing WHERE and HAVING."""

from __future__ import annotations

from typing import Literal, cast

from tools.kinds.crm.soql.cursor import MAX_LENGTH, Cursor
from tools.kinds.crm.soql.errors import malformed
from tools.kinds.crm.soql.literals import is_counted_period, is_period
from tools.kinds.crm.soql.tree import (
    Chain,
    Compare,
    Comparison,
    Condition,
    Expression,
    Includes,
    LiteralKind,
    Member,
    Not,
    Query,
    SemiJoin,
    Value,
)

_OPERATORS: dict[str, Comparison] = {
    "=": "=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_LITERALS: dict[str, LiteralKind] = {
    "string": "string",
    "number": "number",
    "date": "date",
    "datetime": "datetime",
}
_WORDS: dict[str, LiteralKind] = {"NULL": "null", "TRUE": "boolean", "FALSE": "boolean"}


class ConditionParser(Cursor):
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

    def inner_query(self) -> Query:
        raise NotImplementedError

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
            query = self.nested(self.inner_query)
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
