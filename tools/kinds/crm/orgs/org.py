"""The orgs of the function tools of a CRM: the org of an episode's world, or a live one."""

from __future__ import annotations

from datetime import date
from typing import Protocol, runtime_checkable

import apsw

from worksmith.tools.kinds.crm.schema import Schema
from worksmith.tools.kinds.crm.soql.soql_engine import Limits, QueryResult, Soql
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult, Sosl


@runtime_checkable
class Org(Protocol):
    """An org that can be asked in its two query languages."""

    def query(self, soql: str) -> QueryResult:
        """All records that a SOQL query finds.

        Raises:
            QueryError: with the code, message and place that the platform gives.
        """
        ...

    def search(self, sosl: str) -> SearchResult:
        """The records that a SOSL search finds.

        Raises:
            QueryError: with the code, message and place that the platform gives.
        """
        ...


class WorldOrg:
    """The org in a world's database, which is only read.

    Args:
        connection: to a database with the tables and search indexes of a CRM world.
        today: what date literals such as TODAY refer to.
        changeset: the changes of an episode since the indexes were built; the connection shows it.
        schema: the objects and fields that exist for the asker; None for all of them.
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
        self._sosl = Sosl(connection, today, changeset=changeset, schema=schema, limits=limits)

    def query(self, soql: str) -> QueryResult:
        return self._soql.query(soql)

    def search(self, sosl: str) -> SearchResult:
        return self._sosl.search(sosl)
