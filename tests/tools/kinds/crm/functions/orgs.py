"""Random orgs for functions: as typed records, and as an org that can be asked."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any

import apsw

from tests.tools.kinds.crm.soql.org import Org, cell, random_org
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS, TABLES, Schema, crm_schema
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows

TODAY = date(2023, 1, 1)


def draw(chooser: Random, size: int = 12) -> Org:
    """Random records whose fields that hold ids hold those of records, and whose history is of use."""
    org = random_org(chooser, size, crm_schema("lookup"))
    for record in org["CaseHistory__c"]:
        record["Field__c"] = chooser.choice(["Owner Assignment"] * 3 + ["Case Creation", "Case Closed", None])
    return org


def connect(org: Org) -> apsw.Connection:
    """A database with the records of `org` and their search indexes."""
    rows = {
        name: [[cell(record[column]) for column in OBJECTS[name].columns] for record in records]
        for name, records in org.items()
    }
    everything: dict[str, Any] = {**rows, **search_rows(rows)}
    connection = apsw.Connection(":memory:")
    with connection:
        for table in (*TABLES, *SEARCH_TABLES):
            for statement in table.ddl():
                connection.execute(statement)
            connection.executemany(table.insert_sql(), everything.get(table.name, []))
    return connection


def opened(org: Org, schema: Schema | None = None) -> WorldOrg:
    """`org`, to be asked."""
    return WorldOrg(connect(org), TODAY, schema=schema)
