"""Resources that show records in pages, and objects with their fields."""

from __future__ import annotations

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import apsw

from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.rest.cells import LENGTHS
from worksmith.tools.kinds.crm.rest.messages import DATA, ApiError, Reply, Request, Serving, not_found
from worksmith.tools.kinds.crm.rest.rules import rules
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.schema import NUMBERS, CrmObject, Field, Schema
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed
from worksmith.tools.kinds.crm.soql.results import Record
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult
from worksmith.tools.kinds.crm.sosl.tables import searchable

SMALLEST, LARGEST = 200, 2_000
"""Records of a page; a client's number is brought within these bounds, as on the platform."""

_LIFE = 15 * 60.0
"""Seconds that the rest of a result is kept without a request for it."""
_MOST = 200_000
"""Records kept, of all results together; the result that has waited longest makes room."""


@dataclass
class _Kept:
    records: list[Record]
    batch: int
    used: float


class Pages:
    """The results that clients have not read to the end. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._lock = Lock()

    def first(self, result: QueryResult, batch: int, session: str) -> dict[str, Any]:
        """The answer to a query: its first page."""
        records = [self._with_first_children(record, batch, session) for record in result.records]
        return self._first(records, result.total_size, batch, session)

    def more(self, locator: str, session: str) -> dict[str, Any]:
        cursor, _, place = locator.rpartition("-")
        with self._lock:
            self._forget()
            kept = self._kept.get((session, cursor))
            if kept is None or not (place.isascii() and place.isdecimal() and len(place) < 10):
                raise ApiError(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
            kept.used = self._clock()
            self._kept.move_to_end((session, cursor))
        start = int(place)
        if start >= len(kept.records):
            raise ApiError(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
        return self._page(kept.records, len(kept.records), start, kept.batch, cursor)

    def _first(self, records: list[Record], total: int, batch: int, session: str) -> dict[str, Any]:
        if len(records) <= batch:
            return {"totalSize": total, "done": True, "records": records}
        cursor = f"01g{secrets.token_hex(12)}"
        with self._lock:
            self._kept[session, cursor] = _Kept(records, batch, self._clock())
            self._forget()
        return self._page(records, total, 0, batch, cursor)

    def _page(self, records: list[Record], total: int, start: int, batch: int, cursor: str) -> dict[str, Any]:
        after = start + batch
        page = {"totalSize": total, "done": after >= len(records), "records": records[start:after]}
        if not page["done"]:
            page["nextRecordsUrl"] = f"{DATA}/query/{cursor}-{after}"
        return page

    def _with_first_children(self, record: Record, batch: int, session: str) -> Record:
        return {
            name: self._first(value["records"], value["totalSize"], batch, session)
            if isinstance(value, dict) and len(value.get("records", ())) > batch
            else value
            for name, value in record.items()
        }

    def _forget(self) -> None:
        deadline = self._clock() - _LIFE
        left = sum(len(each.records) for each in self._kept.values())
        for key, each in list(self._kept.items()):
            if each.used >= deadline and left <= _MOST:
                return
            left -= len(each.records)
            del self._kept[key]


def batch_size(header: str) -> int:
    """How many records of a page a `Sforce-Query-Options` header asks for."""
    for option in header.split(","):
        name, _, value = option.partition("=")
        value = value.strip()
        if name.strip().lower() == "batchsize" and value.isascii() and value.isdecimal() and len(value) < 10:
            return min(max(int(value), SMALLEST), LARGEST)
    return LARGEST


_SOAP = {
    "id": "tns:ID",
    "reference": "tns:ID",
    "boolean": "xsd:boolean",
    "int": "xsd:int",
    "double": "xsd:double",
    "currency": "xsd:double",
    "date": "xsd:date",
    "datetime": "xsd:dateTime",
}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def brief(entity: CrmObject, schema: Schema, *, writable: bool) -> dict[str, Any]:
    address = f"{DATA}/sobjects/{entity.name}"
    return {
        "name": entity.name,
        "label": _label(entity.name),
        "labelPlural": _label(entity.plural),
        "keyPrefix": entity.prefix,
        "custom": entity.name.endswith("__c"),
        "queryable": True,
        "retrieveable": True,
        "searchable": entity in searchable(schema),
        "createable": writable,
        "updateable": writable,
        "deletable": writable,
        "urls": {"sobject": address, "describe": f"{address}/describe", "rowTemplate": f"{address}/{{ID}}"},
    }


def described(entity: CrmObject, schema: Schema, *, writable: bool, audit: bool) -> dict[str, Any]:
    """All there is to know about an object.

    Args:
        writable: whether records can be changed at all.
        audit: whether new records may give dates that are otherwise the system's own.
    """
    fields = [_field(entity, field, writable=writable, audit=audit) for field in entity.queryable]
    children = [
        {"childSObject": child.object, "field": child.field.name, "relationshipName": child.name}
        for child in schema.children(entity.name)
    ]
    return brief(entity, schema, writable=writable) | {"fields": fields, "childRelationships": children}


def _field(entity: CrmObject, field: Field, *, writable: bool, audit: bool) -> dict[str, Any]:
    own = rules(entity.name)
    settable = writable and own.writable(field.name, creating=True, audit=audit)
    return {
        "name": field.name,
        "label": _label(field.name),
        "type": field.type,
        "soapType": _SOAP.get(field.type, "xsd:string"),
        "length": 18 if field.type in ("id", "reference") else LENGTHS.get(field.type, 0),
        "precision": 18 if field.type in NUMBERS else 0,
        "scale": 2 if field.type == "currency" else 0,
        "inlineHelpText": field.note or None,
        "custom": field.custom,
        "nameField": field.name == entity.title,
        "autoNumber": field.name in own.made and own.made[field.name].by == "number",
        "calculated": False,
        "createable": settable,
        "updateable": writable and own.writable(field.name, creating=False, audit=audit),
        "nillable": field.type != "boolean" and not own.given(field) and field.name not in own.required,
        "defaultedOnCreate": own.given(field) or field.name in own.audit or field.type == "boolean",
        "filterable": field.filterable,
        "sortable": field.sortable,
        "groupable": field.groupable,
        "idLookup": field.name == "Id",
        "externalId": False,
        "unique": False,
        "restrictedPicklist": bool(field.values),
        "picklistValues": [
            {
                "value": value,
                "label": value,
                "active": True,
                "defaultValue": own.defaults.get(field.name) == value,
            }
            for value in field.values
        ],
        "referenceTo": list(field.targets),
        "relationshipName": field.parent or None,
    }


def _label(name: str) -> str:
    return " ".join(_WORDS.split(name.removesuffix("__c").removesuffix("__kav")))


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
