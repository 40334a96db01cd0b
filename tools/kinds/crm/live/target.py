"""An org that records are moved to. It is only ever added to; nothing that was there is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worksmith.tools.errors import InfrastructureError, WorksmithError
from worksmith.tools.kinds.crm.live.org import SalesforceOrg
from worksmith.tools.kinds.crm.soql.errors import QueryError

Values = dict[str, Any]


class RefusedError(WorksmithError):
    """The org will not take a record."""


@dataclass(frozen=True)
class TargetField:
    """An org's description of a field.

    Attributes:
        settable: whether new records may give it.
        needed: whether they must.
    """

    name: str
    settable: bool
    needed: bool


class Target:
    def __init__(self, org: SalesforceOrg) -> None:
        self.org = org
        self._fields: dict[str, dict[str, TargetField] | None] = {}

    @property
    def host(self) -> str:
        return self.org.host

    def fields(self, name: str) -> dict[str, TargetField] | None:
        """The fields of object `name`, by name; None if the org has no such object, or takes none of it."""
        if name not in self._fields:
            described = self.org.describe(name)
            known = None if described is None else {f["name"]: _field(f) for f in described["fields"]}
            self._fields[name] = known if described and described.get("createable") else None
        return self._fields[name]

    def count(self, name: str) -> int:
        """How many records of an object there are, but for those that every org has."""
        return self.org.query(f"SELECT COUNT() FROM {name}{_own(name)}").total_size

    def ids(self, name: str) -> list[str]:
        """The ids of all records of an object, in the order in which they were made."""
        return [record["Id"] for record in self.org.query(f"SELECT Id FROM {name} ORDER BY Id").records]

    def records(self, name: str, fields: Sequence[str], ids: Sequence[str]) -> list[Values]:
        listed = "', '".join(ids)
        found = self.org.query(f"SELECT {', '.join(fields)} FROM {name} WHERE Id IN ('{listed}') ORDER BY Id")
        return found.records

    @cached_property
    def standard_book(self) -> str | None:
        """The id of the standard price book, which every org has and which cannot be made."""
        found = self.org.query("SELECT Id FROM Pricebook2 WHERE IsStandard = true LIMIT 1").records
        return found[0]["Id"] if found else None

    def create(self, name: str, records: Sequence[Values]) -> list[str]:
        """Make records of one object, all of them or none of them; gives their ids in the same order.

        Raises:
            RefusedError: one cannot be made, so none of them is.
            InfrastructureError: no answer came. They may have been made all the same.
        """
        return self._save("POST", name, records)

    def update(self, name: str, records: Sequence[Values]) -> None:
        """Change records of one object, each with its `id`, all of them or none of them.

        Setting a value again changes nothing.

        Raises:
            RefusedError, InfrastructureError: as for `create`.
        """
        self._save("PATCH", name, records)

    def publish(self, article: str) -> None:
        path = f"knowledgeManagement/articleVersions/masterVersions/{article}"
        self.org.once(lambda client: client.restful(path, method="PATCH", json={"publishStatus": "Online"}))

    def _save(self, method: str, name: str, records: Sequence[Values]) -> list[str]:
        body = {
            "allOrNone": True,
            "records": [{"attributes": {"type": name}, **values} for values in records],
        }
        try:
            outcomes = self.org.once(
                lambda client: client.restful("composite/sobjects", method=method, json=body)
            )
        except QueryError as error:
            raise RefusedError(f"{name}: {error}") from error
        if not isinstance(outcomes, list) or len(outcomes) != len(records):
            raise InfrastructureError("the org's answer does not fit what was sent")
        for number, outcome in enumerate(outcomes):
            if not outcome["success"] and not _undone(outcome):
                fault = "; ".join(f"{error['statusCode']}: {error['message']}" for error in outcome["errors"])
                raise RefusedError(f"{name}, record {number + 1} of {len(records)}: {fault}")
        if not all(outcome["success"] for outcome in outcomes):
            raise RefusedError(f"{name}: the org takes back what it was sent, and does not say why")
        return [str(outcome["id"]) for outcome in outcomes]


def _field(described: Mapping[str, Any]) -> TargetField:
    settable = bool(described["createable"])
    needed = settable and not described["nillable"] and not described["defaultedOnCreate"]
    return TargetField(described["name"], settable, needed)


def _own(name: str) -> str:
    return " WHERE IsStandard = false" if name == "Pricebook2" else ""


def _undone(outcome: Mapping[str, Any]) -> bool:
    return [error["statusCode"] for error in outcome["errors"]] == ["ALL_OR_NONE_OPERATION_ROLLED_BACK"]
