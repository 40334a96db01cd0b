"""Resources that show what is in an org."""

from __future__ import annotations

import apsw

from tools.kinds.crm.ids import canonical
from tools.kinds.crm.orgs.org import WorldOrg
from tools.kinds.crm.rest.describing import brief, described
from tools.kinds.crm.rest.messages import ApiError, Reply, Request, Serving, not_found
from tools.kinds.crm.rest.paging import Pages, batch_size
from tools.kinds.crm.rest.store import OrgStore
from tools.kinds.crm.schema import CrmObject
from tools.kinds.crm.soql.errors import QueryError, malformed


class Reader:
    """Answers requests that change nothing.

    Every method raises `ApiError` or `QueryError` for a request that it refuses.
    """

    def __init__(self, store: OrgStore, serving: Serving) -> None:
        self._store = store
        self._serving = serving
        self._pages = Pages()

    def query(self, request: Request) -> Reply:
        statement = request.params.get("q")
        if not statement:
            raise malformed("SOQL statements cannot be empty or null")
        result = self._store.read(lambda *at: self._org(*at).query(statement))
        batch = batch_size(request.headers.get("sforce-query-options", ""))
        return Reply(200, self._pages.first(result, batch, request.session))

    def more(self, request: Request, locator: str) -> Reply:
        return Reply(200, self._pages.more(locator, request.session))

    def search(self, request: Request) -> Reply:
        statement = request.params.get("q")
        if not statement:
            message = "No search term found. The search term must be enclosed in braces."
            raise QueryError("MALFORMED_SEARCH", message)
        return Reply(200, self._store.read(lambda *at: self._org(*at).search(statement)).body())

    def objects(self, _: Request) -> Reply:
        schema = self._serving.schema
        listed = [brief(each, schema, writable=self._serving.writable) for each in schema.objects]
        return Reply(200, {"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": listed})

    def about(self, _: Request, entity: CrmObject) -> Reply:
        shown = brief(entity, self._serving.schema, writable=self._serving.writable)
        return Reply(200, {"objectDescribe": shown, "recentItems": []})

    def describe(self, _: Request, entity: CrmObject) -> Reply:
        serving = self._serving
        return Reply(200, described(entity, serving.schema, writable=serving.writable, audit=serving.audit))

    def record(self, request: Request, entity: CrmObject, record_id: str) -> Reply:
        """One record, with all fields or those asked for."""
        names = [name.strip() for name in request.params.get("fields", "").split(",") if name.strip()]
        chosen: dict[str, None] = {}
        for name in names or entity.columns:
            field = entity.field(name)
            if field is None:
                message = f"No such column '{name[:80]}' on sobject of type {entity.name}"
                raise ApiError(400, "INVALID_FIELD", message)
            chosen[field.name] = None
        known = canonical(record_id)
        if known is None:
            raise not_found()
        # Names out of the schema and an id out of letters and digits: nothing else becomes part of the query.
        statement = f"SELECT {', '.join(chosen)} FROM {entity.name} WHERE Id = '{known}'"
        found = self._store.read(lambda *at: self._org(*at).query(statement))
        if not found.records:
            raise not_found()
        return Reply(200, found.records[0])

    def _org(self, connection: apsw.Connection, changeset: bytes) -> WorldOrg:
        today = self._store.now.date()
        return WorldOrg(connection, today, changeset=changeset, schema=self._serving.schema)
