"""Faults of a query, in Salesforce's form.

The codes and messages are the platform's own wherever they are known: agents have learnt to recover from
them.
"""

from __future__ import annotations

import re

from worksmith.tools.errors import ToolError

_BEFORE = 32
_AFTER = 28
_LONGEST = 1_000
"""Characters of a message: a repeated statement may have any length."""


class QueryError(ToolError):
    """A query that cannot be run.

    Attributes:
        code: e.g. `MALFORMED_QUERY`.
        message: the fault, without code and place.
        offset: of the offending token in the statement, from 0; None if no token is to blame.
        statement: the whole query, once known.
    """

    def __init__(self, code: str, message: str, offset: int | None = None, statement: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
        self.offset = offset
        self.statement = statement

    def within(self, statement: str) -> QueryError:
        """The same error as part of `statement`."""
        return QueryError(self.code, self.message, self.offset, statement)

    @property
    def row(self) -> int | None:
        return None if self.offset is None else self.statement.count("\n", 0, self.offset) + 1

    @property
    def column(self) -> int | None:
        return None if self.offset is None else self.offset - self.statement.rfind("\n", 0, self.offset)

    @property
    def detail(self) -> str:
        """The message below a block that points at the token, as in the body of an error response."""
        if self.offset is None:
            return self.message
        start = max(0, self.offset - _BEFORE)
        cut = self.statement[start : self.offset + _AFTER]
        snippet = re.sub(r"[\r\n]", " ", cut)
        pointer = " " * (self.offset - start) + "^"
        return f"\n{snippet}\n{pointer}\nERROR at Row:{self.row}:Column:{self.column}\n{self.message}"

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


def malformed(message: str, offset: int | None = None) -> QueryError:
    return QueryError("MALFORMED_QUERY", message, offset)


def unexpected(text: str, offset: int) -> QueryError:
    return malformed(f"unexpected token: {text if text == '<EOF>' else repr_token(text)}", offset)


def unsupported(what: str, offset: int) -> QueryError:
    return malformed(f"{what} is not supported by this org", offset)


def repr_token(text: str) -> str:
    """`text` in single quotes, cut where it is long."""
    return f"'{text if len(text) <= 60 else text[:57] + '...'}'"
