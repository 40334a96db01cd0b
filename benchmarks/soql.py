"""Whether SOQL means what it should, and how long it takes.

Every generated query is answered by the engine and by the naive evaluator of the tests, over small random
orgs. Then the queries that agents write (`soql.txt`) and as many generated ones are timed over an org of the
published size. A full scan is a query that reads or returns more records than a page of 2,000, however
it is run; these are counted and timed apart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import apsw

from tests.tools.kinds.crm.soql.agreement import Pair
from tests.tools.kinds.crm.soql.model import soql
from tests.tools.kinds.crm.soql.queries import Chooser
from worksmith.tools.kinds.crm.generate import build
from worksmith.tools.kinds.crm.schema import TABLES, crm_schema
from worksmith.tools.kinds.crm.soql.engine import Soql
from worksmith.tools.kinds.crm.sosl.engine import Sosl
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.schema import Table

NAME = "soql"
DESCRIPTION = "generated SOQL queries against a naive evaluator; milliseconds over an org of full size"

_QUERIES = 20_000
_QUICK_QUERIES = 2_000
_AN_ORG = 100
_PAGE = 2_000
_TODAY = date(2023, 6, 30)
_TIMED = 1_000
_QUICK_TIMED = 300
_SEARCHES = (
    "FIND {return policy} IN ALL FIELDS RETURNING Knowledge__kav(Id, Title, FAQ_Answer__c)",
    "FIND {running shoes} IN ALL FIELDS RETURNING Product2(Id, Name)",
    "FIND {refund OR replacement} RETURNING Case(Id, Subject WHERE Status = 'Closed')",
    "FIND {order*} RETURNING EmailMessage(Id LIMIT 50)",
)


def run(quick: bool) -> dict[str, Any]:
    """Compare, then time."""
    queries = _QUICK_QUERIES if quick else _QUERIES
    wrong = [text for number in range(queries // _AN_ORG) for text in _disagreements(number)]
    return {"queries": queries, "disagreements": len(wrong), "examples": wrong[:3], **_times(quick)}


def _disagreements(number: int) -> list[str]:
    pair = Pair.draw(rng(1, "benchmark", number), 16)
    found = [pair.disagreement(pair.chooser.query()) for _ in range(_AN_ORG)]
    return [text for text in found if text]


def _times(quick: bool) -> dict[str, Any]:
    built = build(7, 1.0)
    connection = _connect([*TABLES, *SEARCH_TABLES], {**built.rows, **search_rows(built.rows)})
    org = {table.name: built.records(table.name) for table in TABLES}
    chooser = Chooser(rng(1, "timed"), crm_schema(), org)
    count = _QUICK_TIMED if quick else _TIMED
    typical = Path(__file__).with_suffix(".txt").read_text().splitlines()
    texts = [*(typical[place % len(typical)] for place in range(count // 2))]
    texts += [soql(chooser.query()) for _ in range(count // 2)]
    engine = Soql(connection, _TODAY)
    scans: list[float] = []
    others: list[float] = []
    for text in texts:
        milliseconds = _milliseconds(lambda text=text: engine.query(text))  # type: ignore[misc]
        (scans if _is_full_scan(connection, engine, text) else others).append(milliseconds)
    search = Sosl(connection, _TODAY)
    searches = [_milliseconds(lambda text=text: search.search(text)) for text in _SEARCHES * 10]  # type: ignore[misc]
    return {
        "timed": len(others),
        "p50_ms": round(statistics.median(others), 2),
        "p95_ms": _p95(others),
        "full_scans": len(scans),
        "full_scan_p95_ms": _p95(scans),
        "search_p95_ms": _p95(searches),
    }


def _connect(tables: list[Table], rows: dict[str, Any]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    with connection:
        for table in tables:
            for statement in table.ddl():
                connection.execute(statement)
            connection.executemany(table.insert_sql(), rows.get(table.name, ()))
    return connection


def _milliseconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def _is_full_scan(connection: apsw.Connection, engine: Soql, text: str) -> bool:
    steps: list[int] = []

    def note(event: dict[str, Any]) -> None:
        steps.append(event["stmt_status"]["SQLITE_STMTSTATUS_FULLSCAN_STEP"])

    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note, id=steps)
    try:
        returned = sum(1 + _children(record) for record in engine.query(text).records)
    finally:
        connection.trace_v2(0, None, id=steps)
    return returned > _PAGE or sum(steps) > _PAGE


def _children(record: dict[str, Any]) -> int:
    nested = (value for value in record.values() if isinstance(value, dict))
    return sum(len(value.get("records", ())) for value in nested)


def _p95(times: list[float]) -> float:
    return round(statistics.quantiles(times, n=20)[-1], 2) if len(times) > 1 else 0.0
