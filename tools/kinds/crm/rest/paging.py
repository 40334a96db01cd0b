"""Results in pages. What did not fit into an answer is kept for the session that asked."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from tools.kinds.crm.rest.messages import DATA, ApiError
from tools.kinds.crm.soql.engine import QueryResult
from tools.kinds.crm.soql.results import Record

SMALLEST, LARGEST = 200, 2_000
"""Records of a page; what a client asks for is brought within these bounds, as the platform does."""

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
