"""References between records: they lead to existing records, which stay."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.rest.cells import cell
from worksmith.tools.kinds.crm.rest.messages import ApiError, not_found
from worksmith.tools.kinds.crm.rest.rules import Cells, Numbers, contact_of, fill_in, rules
from worksmith.tools.kinds.crm.schema import OBJECTS, CrmObject, Field, Schema
from worksmith.tools.sqlite.schema import columns_sql, quoted

_LISTED = 3


def check_target(connection: apsw.Connection, schema: Schema, field: Field, value: str | None) -> None:
    if value is None or field.type != "reference" or not field.targets:
        return
    target = schema.of_id(value)
    if target is None or target.name not in field.targets:
        message = f"{field.name}: id value of incorrect type: {value}"
        raise ApiError(400, "FIELD_INTEGRITY_EXCEPTION", message, [field.name])
    sql = f'SELECT 1 FROM {quoted(target.name)} WHERE "Id" = ?'
    if connection.execute(sql, (value,)).fetchone() is None:
        raise ApiError(400, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", [field.name])


def check_price(connection: apsw.Connection, entry: Cells) -> None:
    """See that a product has a price in the standard price book, if there is one, before any other."""
    books = "SELECT Id FROM Pricebook2 WHERE IsStandard = 'true'"
    standard = {row[0] for row in connection.execute(books)}
    if not standard or entry["Pricebook2Id"] in standard:
        return
    sql = f"SELECT 1 FROM PricebookEntry WHERE Product2Id = ? AND Pricebook2Id IN ({books})"
    if connection.execute(sql, (entry["Product2Id"],)).fetchone() is None:
        message = "Before creating a custom price, create a standard price."
        raise ApiError(400, "STANDARD_PRICE_NOT_DEFINED", message)


def check_unused(
    connection: apsw.Connection, schema: Schema, name: str, record_id: str, together: Collection[str]
) -> None:
    """See that nothing refers to a record that is to be deleted.

    Args:
        schema: the view of the asker; records of other objects count but are not named.
        together: ids of the records that are deleted with it.
    """
    users = [user for user in _users(connection, name, record_id) if user[1] not in together]
    if users:
        named = [f"{owner} {user}" for owner, user in users if schema.object(owner)]
        message = (
            f"Your attempt to delete {record_id} could not be completed because some records refer to it"
        )
        message += f": {', '.join(named[:_LISTED])}" if named else ""
        raise ApiError(400, "DELETE_FAILED", message)


def _users(connection: apsw.Connection, name: str, record_id: str) -> list[tuple[str, str]]:
    """Records that refer to one, by object and id; of each field the first few."""
    found: list[tuple[str, str]] = []
    for entity in OBJECTS.values():
        for field in entity.queryable:
            if name in field.targets:
                sql = f'SELECT "Id" FROM {quoted(entity.name)} WHERE {quoted(field.name)} = ? LIMIT 9'
                found += [(entity.name, str(row[0])) for row in connection.execute(sql, (record_id,))]
    return found


@dataclass(frozen=True)
class Records:
    """The records of an org on a connection that may be written to.

    Attributes:
        schema: the view of the asker.
        now: the org's clock, as a cell.
        audit: whether new records may give dates that are otherwise the system's own.
    """

    connection: apsw.Connection
    schema: Schema
    numbers: Numbers
    now: str
    audit: bool = False

    def create(self, entity: CrmObject, values: Mapping[str, Any]) -> str:
        """Make a record; gives its id."""
        own = rules(entity.name)
        cells = self._cells(entity, values, creating=True)
        _check_required(entity, cells, own.required)
        for field in OBJECTS[entity.name].queryable:
            missing = "false" if field.type == "boolean" else None
            cells.setdefault(field.name, own.defaults.get(field.name, missing))
        self._date(entity, cells, {})
        if entity.name == "PricebookEntry":
            check_price(self.connection, cells)
        record_id = cells["Id"] = self.numbers.id(entity)
        fill_in(self.connection, entity, cells, self.numbers)
        self._insert(entity, cells)
        if entity.name == "Account":
            self._insert(OBJECTS["Contact"], contact_of(cells))
        return record_id

    def update(self, entity: CrmObject, record_id: str, values: Mapping[str, Any]) -> None:
        before = self.row(entity, record_id)
        changed = self._cells(entity, values, creating=False)
        _check_required(entity, changed, [name for name in rules(entity.name).required if name in changed])
        after = {**before, **changed}
        self._date(entity, after, before)
        fill_in(self.connection, entity, after, None)
        self._set(entity, before, {name: value for name, value in after.items() if value != before[name]})

    def delete(self, entity: CrmObject, record_id: str) -> None:
        """Delete a record, and with a person account its contact."""
        row = self.row(entity, record_id)
        together = {str(row["Id"]): entity.name}
        if entity.name == "Account" and row["PersonContactId"]:
            together[row["PersonContactId"]] = "Contact"
        for each, name in together.items():
            check_unused(self.connection, self.schema, name, each, together)
        for each, name in together.items():
            self.connection.execute(f'DELETE FROM {quoted(name)} WHERE "Id" = ?', (each,))

    def publish(self, record_id: str, status: str) -> None:
        """Set the status of an article, which no client sets like other fields."""
        entity = OBJECTS["Knowledge__kav"]
        self._set(entity, self.row(entity, record_id), {"PublishStatus": status})

    def row(self, entity: CrmObject, record_id: str) -> Cells:
        found = canonical(record_id)
        columns = OBJECTS[entity.name].columns
        sql = f'SELECT {columns_sql(columns)} FROM {quoted(entity.name)} WHERE "Id" = ?'
        row = self.connection.execute(sql, (found,)).fetchone() if found else None
        if row is None:
            raise not_found()
        return dict(zip(columns, row, strict=True))

    def _cells(self, entity: CrmObject, values: Mapping[str, Any], *, creating: bool) -> Cells:
        own = rules(entity.name)
        cells: Cells = {}
        refused: list[str] = []
        for name, value in values.items():
            if name.lower() == "attributes":
                continue
            field = entity.field(name)
            if field is None:
                message = f"No such column '{name[:80]}' on sobject of type {entity.name}"
                raise ApiError(400, "INVALID_FIELD", message)
            if not own.writable(field.name, creating=creating, audit=self.audit):
                refused.append(field.name)
                continue
            cells[field.name] = cell(field, value)
            check_target(self.connection, self.schema, field, cells[field.name])
        if refused:
            message = (
                f"Unable to create/update fields: {', '.join(refused)}. Please check the security settings "
                f"of this field and verify that it is read/write for your profile or permission set."
            )
            raise ApiError(400, "INVALID_FIELD_FOR_INSERT_UPDATE", message, refused)
        return cells

    def _date(self, entity: CrmObject, cells: Cells, before: Cells) -> None:
        """Dates that the system sets: when a record was made, and when a case was closed."""
        if "CreatedDate" in rules(entity.name).audit and cells.get("CreatedDate") is None:
            cells["CreatedDate"] = self.now
        if entity.name != "Case":
            return
        if cells["Status"] != "Closed":
            cells["ClosedDate"] = None
        elif cells.get("ClosedDate") is None and before.get("Status") != "Closed":
            cells["ClosedDate"] = self.now

    def _insert(self, entity: CrmObject, cells: Cells) -> None:
        table = OBJECTS[entity.name].table()
        self.connection.execute(table.insert_sql(), tuple(cells[name] for name in table.columns))

    def _set(self, entity: CrmObject, before: Cells, cells: Cells) -> None:
        if cells:
            marks = ", ".join(f"{quoted(name)} = ?" for name in cells)
            sql = f'UPDATE {quoted(entity.name)} SET {marks} WHERE "Id" = ?'
            self.connection.execute(sql, (*cells.values(), before["Id"]))


def _check_required(entity: CrmObject, cells: Cells, required: Sequence[str]) -> None:
    """Check required values. Hidden fields are not required."""
    missing = [name for name in required if cells.get(name) is None and entity.field(name)]
    if missing:
        message = f"Required fields are missing: [{', '.join(missing)}]"
        raise ApiError(400, "REQUIRED_FIELD_MISSING", message, missing)
