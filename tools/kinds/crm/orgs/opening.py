"""The org that a tool works on, with the records that its persona may read, and a note of the read ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from worksmith.tools.kinds.crm.access.policy import CrmPolicy
from worksmith.tools.kinds.crm.orgs.org import Org, WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS, CrmObject, Schema
from worksmith.tools.kinds.crm.settings import OrgSettings
from worksmith.tools.kinds.crm.soql.compiler import compile_query
from worksmith.tools.kinds.crm.soql.cursor import MAX_LENGTH
from worksmith.tools.kinds.crm.soql.errors import QueryError, unsupported
from worksmith.tools.kinds.crm.soql.parser import parse
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult
from worksmith.tools.kinds.crm.soql.tree import AllFields, Chain, ChildSelect, Query, SemiJoin
from worksmith.tools.kinds.crm.soql.where import Setting
from worksmith.tools.kinds.crm.sosl.parser import parse_search
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult
from worksmith.tools.kinds.crm.sosl.tables import searched
from worksmith.tools.policy import private_part
from worksmith.tools.tool_context import ToolContext

_LONGEST_ALIAS = 2
"""No relationship has so short a name."""


class Confined:
    """An org that is asked only for the objects and fields of a schema.

    Where the schema hides nothing, everything is asked as it is: a live org knows more of its query languages
    than the engine that checks here. Else only for those that the engine understands.
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
            self._schema.object(name)  # the observer of the schema learns the requests

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
    """Refuse names that the live org, with more fields and relationships, may read differently.

    All fields are more there than here, and an alias may be the name of a relationship.
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


MOST_READS = 1_000
"""Records of one object that a call notes one by one; of more it notes that it read the object."""

_ALL_FIELDS = re.compile(r"\bFIELDS\s*\(", re.IGNORECASE)


def open_org(ctx: ToolContext) -> Org:
    """The live org of an episode if it has one, else that of its world, as far as the persona may read it."""
    policy = policy_of(ctx)
    watch = _Watch(policy.schema_for(ctx.persona.id))
    today = ctx.now.date()
    if isinstance(ctx.backend, Org):
        return _Reading(Confined(ctx.backend, watch, today), watch, policy.private, ctx.reads)
    org = WorldOrg(ctx.connection, today, changeset=ctx.changeset, schema=watch)
    return _Reading(org, watch, policy.private, ctx.reads)


def settings_of(ctx: ToolContext) -> OrgSettings:
    return policy_of(ctx).settings


def policy_of(ctx: ToolContext) -> CrmPolicy:
    assert isinstance(ctx.policy, CrmPolicy)  # the kind opens no other
    return ctx.policy


class _Watch(Schema):
    """A schema that notes which objects it is asked for: all that a statement names or leads to."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema.objects)
        self.asked: set[str] = set()

    def object(self, name: str) -> CrmObject | None:
        found = super().object(name)
        if found is not None:
            self.asked.add(found.name)
        return found


class _Reading:
    """An org, and a note of its read records."""

    def __init__(
        self, org: Org, watch: _Watch, private: Mapping[str, frozenset[str]], reads: set[str]
    ) -> None:
        self._org = org
        self._watch = watch
        self._private = private
        self._reads = reads

    def query(self, soql: str) -> QueryResult:
        result = self._org.query(soql)
        self._note(soql, result.records, search=False)
        return result

    def search(self, sosl: str) -> SearchResult:
        result = self._org.search(sosl)
        self._note(sosl, result.records, search=True)
        return result

    def _note(self, statement: str, records: list[dict[str, Any]], *, search: bool) -> None:
        """Note the records, and of objects that have only been used to find or count them, all."""
        keys: dict[str, set[str]] = {}
        for name, key in _keys(records):
            keys.setdefault(name, set()).add(key)
        for name in self._watch.asked | keys.keys():
            own = keys.get(name)
            listed = {"*"} if own is None or len(own) > MOST_READS else own
            read = {f"{name}/{key}" for key in listed}
            self._reads.update(map(private_part, read) if self._is_private(name, statement, search) else read)

    def _is_private(self, name: str, statement: str, search: bool) -> bool:
        """Whether private fields of an object may have been read: they are named, followed, or searched."""
        found = Schema.object(self._watch, name)
        private = self._private.get(name, ())
        fields = [field for field in found.queryable if field.name in private] if found else []
        if not fields:
            return False
        names = (each for field in fields for each in (field.name, field.parent, field.children) if each)
        named = rf"\b(?:{'|'.join(names)})\b"
        return search or bool(_ALL_FIELDS.search(statement) or re.search(named, statement, re.IGNORECASE))


def _keys(item: Any) -> Iterator[tuple[str, str]]:
    """Object and id of all records in a result, parents and children among them."""
    if isinstance(item, list):
        for each in item:
            yield from _keys(each)
    elif isinstance(item, dict):
        about = item.get("attributes")
        if isinstance(about, dict) and "url" in about:
            yield about["type"], about["url"].rpartition("/")[2]
        for each in item.values():
            if isinstance(each, list | dict) and each is not about:
                yield from _keys(each)
