"""Resources that change an org."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any, TypeVar

import apsw

from worksmith.tools.kinds.crm.rest.messages import ApiError, Reply, Request, Serving, json_object, read_only
from worksmith.tools.kinds.crm.rest.records import Records
from worksmith.tools.kinds.crm.rest.rules import Numbers
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.schema import CrmObject
from worksmith.tools.kinds.crm.soql.literals import moment_cell

T = TypeVar("T")

Change = Callable[[Records, CrmObject, dict[str, Any]], str]
"""Makes or changes a record with values that a client sent; gives its id."""

MOST = 200
"""Records of one request."""

_STATUSES = ("Online", "Draft", "Archived")


class Writer:
    """Answers requests that change something, or refuses them all.

    Every method raises `ApiError` for a request that it refuses.
    """

    def __init__(self, store: OrgStore, serving: Serving) -> None:
        self._store = store
        self._serving = serving
        self._numbers = store.read(lambda connection, _: Numbers.of(connection))
        self._now = moment_cell(store.now if store.now.tzinfo else store.now.replace(tzinfo=UTC))

    def create(self, request: Request, entity: CrmObject) -> Reply:
        self._check()
        values = json_object(request.body)
        record_id = self._write(lambda records: records.create(entity, values))
        return Reply(201, {"id": record_id, "success": True, "errors": []})

    def create_many(self, request: Request) -> Reply:
        """Make records, all of them or each that can be made."""
        return self._many(request, lambda records, entity, values: records.create(entity, values))

    def update_many(self, request: Request) -> Reply:
        """Change records, all of them or each that can be changed."""

        def change(records: Records, entity: CrmObject, values: dict[str, Any]) -> str:
            changes = {name: value for name, value in values.items() if name.lower() != "id"}
            record_id = values.get("id") or values.get("Id")
            if not isinstance(record_id, str):
                raise ApiError(400, "MISSING_ARGUMENT", "Id not specified in an update call")
            records.update(entity, record_id, changes)
            return record_id

        return self._many(request, change)

    def _many(self, request: Request, change: Change) -> Reply:
        self._check()
        body = json_object(request.body)
        given = body.get("records")
        if not isinstance(given, list) or len(given) > MOST:
            message = f"records has to be a list of at most {MOST}"
            raise ApiError(400, "INVALID_INPUT", message)
        whole = body.get("allOrNone") is True
        outcomes: list[dict[str, Any]] = []
        try:
            self._write(lambda records: self._change_all(records, given, change, outcomes, whole))
        except _RolledBackError:
            outcomes = [_undone(outcome) for outcome in outcomes]
        return Reply(200, outcomes)

    def update(self, request: Request, entity: CrmObject, record_id: str) -> Reply:
        self._check()
        values = json_object(request.body)
        self._write(lambda records: records.update(entity, record_id, values))
        return Reply(204)

    def delete(self, _: Request, entity: CrmObject, record_id: str) -> Reply:
        self._check()
        self._write(lambda records: records.delete(entity, record_id))
        return Reply(204)

    def publish(self, request: Request, article: str) -> Reply:
        self._check()
        status = json_object(request.body).get("publishStatus")
        if status not in _STATUSES or self._serving.schema.object("Knowledge__kav") is None:
            raise ApiError(400, "INVALID_ARTICLE_STATUS", f"publishStatus is one of {', '.join(_STATUSES)}")
        self._write(lambda records: records.publish(article, str(status)))
        return Reply(204)

    def _change_all(
        self, records: Records, given: list[Any], change: Change, outcomes: list[dict[str, Any]], whole: bool
    ) -> None:
        for values in given:
            outcomes.append(self._change(records, values, change))
        if whole and not all(outcome["success"] for outcome in outcomes):
            raise _RolledBackError

    def _change(self, records: Records, values: Any, change: Change) -> dict[str, Any]:
        connection = records.connection
        connection.execute("SAVEPOINT one")
        try:
            record_id = change(records, self._entity(values), values)
        except ApiError as error:
            connection.execute("ROLLBACK TO one")
            return _failed(error.code, error.message, error.fields)
        finally:
            connection.execute("RELEASE one")
        return {"id": record_id, "success": True, "errors": []}

    def _entity(self, values: Any) -> CrmObject:
        named = values.get("attributes") if isinstance(values, dict) else None
        kind = named.get("type") if isinstance(named, dict) else None
        found = self._serving.schema.object(kind) if isinstance(kind, str) else None
        if found is None:
            raise ApiError(400, "INVALID_TYPE", "attributes has to name the type of a record that there is")
        return found

    def _write(self, body: Callable[[Records], T]) -> T:
        def on(connection: apsw.Connection) -> T:
            serving = self._serving
            return body(Records(connection, serving.schema, self._numbers, self._now, serving.audit))

        return self._store.write(on)

    def _check(self) -> None:
        if not self._serving.writable:
            raise read_only()


class _RolledBackError(Exception):
    """One of several records cannot be made, so none of them is."""


def _failed(code: str, message: str, fields: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"success": False, "errors": [{"statusCode": code, "message": message, "fields": list(fields)}]}


def _undone(outcome: dict[str, Any]) -> dict[str, Any]:
    if not outcome["success"]:
        return outcome
    return _failed("ALL_OR_NONE_OPERATION_ROLLED_BACK", "Rolled back because another record was not valid.")
