"""Running searches over a world."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import apsw

from worksmith.tools.kinds.crm.schema import OBJECTS, CrmObject, Schema
from worksmith.tools.kinds.crm.soql.compiler import RecordCompiler, check_skip
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.filters import Fragment
from worksmith.tools.kinds.crm.soql.results import Record
from worksmith.tools.kinds.crm.soql.scope import Scope, find_object
from worksmith.tools.kinds.crm.soql.soql_engine import Limits, Soql, too_slow
from worksmith.tools.kinds.crm.soql.tree import Clauses, Item, Path, Query
from worksmith.tools.kinds.crm.soql.where import where_sql
from worksmith.tools.kinds.crm.sosl.parser import Search, parse_search
from worksmith.tools.kinds.crm.sosl.tables import (
    GROUPS,
    forms,
    index_changes,
    index_name,
    searchable,
    searched,
    vocabulary,
)
from worksmith.tools.kinds.crm.sosl.term import NOTHING, Piece, fts_query, pieces, search_error
from worksmith.tools.sqlite.schema import quoted

PER_OBJECT = 250
"""Records of each object where its RETURNING has no LIMIT."""

MOST = 2_000
"""Records of all objects, and of one with a LIMIT."""

MAX_EXPANSION = 500
"""Words that a wildcard may stand for."""

_PLURALS = ("term || 's'", "term || 'es'", "substr(term, 1, length(term) - 1) || 'ies'")


@dataclass(frozen=True)
class SearchResult:
    """The records that a search found, object after object, the best of each first."""

    records: list[Record]

    def body(self) -> dict[str, Any]:
        return {"searchRecords": self.records}


class Sosl:
    """Runs SOSL on one connection, and leaves it as it was.

    Args:
        connection: to a database with the tables and indexes of a CRM world.
        today: what date literals refer to.
        changeset: the changes since the indexes were built; the connection shows it.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        today: date,
        *,
        changeset: bytes = b"",
        schema: Schema | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._soql = Soql(connection, today, schema=schema, limits=limits)
        self._setting = self._soql.setting
        self._seconds = (limits or Limits()).seconds
        self._connection = connection
        self._changeset = changeset

    def search(self, statement: str) -> SearchResult:
        """The result of `statement`.

        Raises:
            QueryError: with the code, message and place that the platform would give.
        """
        try:
            search = parse_search(statement)
            self._connection.execute("SAVEPOINT search")
            try:
                if self._changeset:
                    index_changes(self._connection, self._changeset)
                return SearchResult(self._found(search))
            finally:
                self._connection.execute("ROLLBACK TO search; RELEASE search")
        except QueryError as error:
            if error.code == "MALFORMED_QUERY":
                error = search_error(error.message, error.offset)
            raise error.within(statement) from None

    def _found(self, search: Search) -> list[Record]:
        given = pieces(search.term, search.offset)
        left = MOST if search.limit is None else min(search.limit.value, MOST)
        found: list[Record] = []
        deadline = time.monotonic() + self._seconds
        for query in search.returning or self._everything(search.offset):
            if time.monotonic() > deadline:
                raise too_slow()
            records = self._of_object(search, given, query)
            found.extend(records[: left - len(found)])
        return found

    def _everything(self, offset: int) -> list[Query]:
        item = Item(Path(("Id",), offset), "", offset)
        names = [each.name for each in searchable(self._setting.schema)]
        return [Query((item,), Clauses(name, offset), offset) for name in names]

    def _of_object(self, search: Search, given: list[Piece], query: Query) -> list[Record]:
        clauses = query.clauses
        source = find_object(self._setting.schema, clauses.source, clauses.source_offset)
        if source not in searchable(self._setting.schema):
            message = f"entity type {source.name} does not support search"
            raise QueryError("INVALID_TYPE", message, clauses.source_offset)
        check_skip(clauses)
        index = index_name(source.name)
        # How well a record fits depends on the length of its texts, those of fields that are hidden as well.
        ranked = searched(source) == searched(OBJECTS[source.name])
        scope = Scope(self._setting.schema, source, clauses.alias, index=index, ranked=ranked)
        match = Fragment(f"hit.{quoted(index)} MATCH ?", (self._match(search, given, source, index),))
        match = match.also(where_sql(clauses, scope, self._setting))
        plan = RecordCompiler(scope, self._setting).plan(query, match)
        limit = PER_OBJECT if plan.limit is None else min(plan.limit, MOST)
        return self._soql.run(replace(plan, limit=limit)).records

    def _match(self, search: Search, given: list[Piece], source: CrmObject, index: str) -> str:
        columns = searched(source, GROUPS if source.all_fields else search.groups)

        @cache
        def expand(pattern: str) -> list[str]:
            return self._words(index, columns, pattern, search.offset)

        end = search.offset + len(search.term)
        query = fts_query(given, expand, source.any_word, end)
        if not columns:
            return NOTHING
        return query if columns == searched(OBJECTS[source.name]) else f"{{{' '.join(columns)}}} : ({query})"

    def _words(self, index: str, columns: Sequence[str], pattern: str, offset: int) -> list[str]:
        """The words of an index that fit a pattern, or whose plurals do: the index knows shoes as shoe."""
        words = f"SELECT DISTINCT term FROM {quoted(vocabulary(index))}"
        sql = f"{words} WHERE col IN (SELECT value FROM json_each(?2))"
        sql += " AND (term GLOB ?1"
        sql += "".join(f" OR {plural} GLOB ?1" for plural in _PLURALS) + ")"
        rows = self._connection.execute(sql, (pattern, json.dumps(columns)))
        candidates = (str(row[0]) for row in rows)
        found = [word for word in candidates if any(fnmatchcase(form, pattern) for form in forms(word))]
        if len(found) > MAX_EXPANSION:
            raise search_error(f"{pattern} stands for more than {MAX_EXPANSION} words", offset)
        return found
