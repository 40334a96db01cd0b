"""A live org, confined to what a role may read.

By itself it answers all that the user may read who connects to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from tools.kinds.crm.orgs.org import Org
from tools.kinds.crm.schema import OBJECTS, CrmObject, Schema
from tools.kinds.crm.soql.compiler import compile_query
from tools.kinds.crm.soql.cursor import MAX_LENGTH
from tools.kinds.crm.soql.engine import QueryResult
from tools.kinds.crm.soql.errors import QueryError, unsupported
from tools.kinds.crm.soql.parser import parse
from tools.kinds.crm.soql.tree import AllFields, Chain, ChildSelect, Query, SemiJoin
from tools.kinds.crm.soql.where import Setting
from tools.kinds.crm.sosl.engine import SearchResult
from tools.kinds.crm.sosl.parser import parse_search
from tools.kinds.crm.sosl.tables import searched

_LONGEST_ALIAS = 2
"""No relationship has so short a name."""


class Confined:
    """An org that is asked for nothing but what a schema has.

    Where the schema hides nothing, everything is asked as it is: a live org knows more of its query languages
    than the engine that checks here. Else only what the engine understands is.
    """

    def __init__(self, org: Org, schema: Schema, today: date) -> None:
        self._org = org
        self._schema = schema
        self._setting = Setting(schema, today)
        self._hides = len(schema.objects) < len(OBJECTS) or any(map(_hides, schema.objects))

    def query(self, soql: str) -> QueryResult:
        try:
            query = parse(soql)
            compile_query(query, self._setting)
            if self._hides:
                _check_told_apart(query)
        except QueryError as error:
            self._refuse(error, soql)
        return self._org.query(soql)

    def search(self, sosl: str) -> SearchResult:
        try:
            self._check(sosl)
        except QueryError as error:
            self._refuse(error, sosl)
        return self._org.search(sosl)

    def _refuse(self, error: QueryError, statement: str) -> None:
        if self._hides or len(statement) > MAX_LENGTH:
            raise error.within(statement) from None
        for name in set(re.findall(r"\w+", statement)):
            self._schema.object(name)  # who watches the schema learns what is asked for

    def _check(self, sosl: str) -> None:
        search = parse_search(sosl)
        if not search.returning:
            raise QueryError("MALFORMED_SEARCH", "name the objects to search in RETURNING", search.offset)
        for query in search.returning:
            compile_query(query, self._setting)
            found = self._schema.object(query.clauses.source)
            if found is not None and set(searched(OBJECTS[found.name])) - set(searched(found)):
                message = f"entity type {found.name} does not support search"
                raise QueryError("INVALID_TYPE", message, query.clauses.source_offset)


def _check_told_apart(query: Query) -> None:
    """Refuse what the live org, which knows of more fields and relationships, may take for something else.

    All fields are more there than here, and an alias may be what a relationship is called.
    """
    for each in _queries(query):
        for selected in each.selected:
            if isinstance(selected, AllFields):
                raise unsupported(f"FIELDS({selected.which})", selected.offset)
        if len(each.clauses.alias) > _LONGEST_ALIAS:
            what = f"an alias of more than {_LONGEST_ALIAS} letters"
            raise unsupported(what, each.clauses.source_offset)


def _queries(query: Query) -> Iterator[Query]:
    yield query
    where = query.clauses.where
    conditions = where.parts if isinstance(where, Chain) else (where,)  # semi-joins stand nowhere deeper
    for each in (*query.selected, *conditions):
        if isinstance(each, ChildSelect | SemiJoin):
            yield from _queries(each.query)


def _hides(part: CrmObject) -> bool:
    return len(part.queryable) < len(OBJECTS[part.name].queryable)
