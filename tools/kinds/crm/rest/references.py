"""What one record may say of another: references lead somewhere, and what they lead to stays."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from tools.kinds.crm.rest.making import Cells
from tools.kinds.crm.rest.messages import ApiError
from tools.kinds.crm.schema import OBJECTS, Field, Schema
from tools.sqlite.schema import quoted

_LISTED = 3


def check_target(connection: apsw.Connection, schema: Schema, field: Field, value: str | None) -> None:
    """See that a reference points to a record that there is.

    Raises:
        ApiError: it does not.
    """
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
    """See that a product has a price in the standard price book, if there is one, before any other.

    Raises:
        ApiError: it has none.
    """
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
        schema: what the asker may see; records of other objects count but are not named.
        together: ids of the records that are deleted with it.

    Raises:
        ApiError: something does.
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
