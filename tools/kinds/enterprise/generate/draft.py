"""A world while it is generated: what there is already, and where to put more."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, datetime
from typing import Literal

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.company import DEFAULT_NOW
from tools.kinds.enterprise.generate.counts import Counts, counts
from tools.kinds.enterprise.generate.entities import Citable, Client, Customer, Product, Project, Sale, Vendor
from tools.kinds.enterprise.generate.latent import Built, Row, reference
from tools.kinds.enterprise.generate.staff import People
from tools.kinds.enterprise.schema import KEYS, TABLES
from tools.seeding import rng

Hierarchy = Literal["paper", "measured"]
"""How many associates, leads, managers and directors a department has: `paper` is 4:3:2:1, `measured` what
the published data have, with far fewer seniors."""

_COLUMNS = {table.name: frozenset(table.columns) for table in TABLES}
_ORDER = {table.name: table.columns for table in TABLES}


class Draft:
    """A world in the making. Entities are added source by source, each from random streams of its own.

    Attributes:
        now: the clock of the world; `today` is its day. Nothing happens later.
        counts: how many records of each source there are to be.
        people, projects, products, customers, sales, clients, vendors: what later sources refer to.
        citable: records that people may mention, by the name of the project they belong to.
        documents: files by their path under `documents/`.
    """

    def __init__(self, seed: int, scale: float = 1.0, hierarchy: Hierarchy = "paper") -> None:
        self.seed = seed
        self.scale = scale
        self.hierarchy = hierarchy
        self.now: datetime = DEFAULT_NOW
        self.counts: Counts = counts(scale)
        self.people = People()
        self.projects: list[Project] = []
        self.products: list[Product] = []
        self.customers: list[Customer] = []
        self.sales: list[Sale] = []
        self.clients: list[Client] = []
        self.vendors: list[Vendor] = []
        self.citable: dict[str, list[Citable]] = {}
        self.documents: dict[str, bytes] = {}
        self._rows: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._keys: dict[str, set[str]] = {table.name: set() for table in TABLES}
        self._latents: list[Latent] = []

    @property
    def today(self) -> date:
        return self.now.date()

    def rng(self, stream: str, *keys: str | int) -> random.Random:
        """A random stream of its own. Name it after the source, so that no source disturbs another."""
        return rng(self.seed, "enterprise", stream, *keys)

    def add(self, table: str, **cells: object) -> str:
        """Add a row; cells left out are NULL, numbers and dates become text. Returns the record's reference.

        Raises:
            ValueError: if a column is unknown, or the key is missing or taken.
        """
        unknown = cells.keys() - _COLUMNS[table]
        if unknown:
            raise ValueError(f"{table} has no column {', '.join(sorted(unknown))}")
        key = cells.get(KEYS[table])
        if key is None or str(key) in self._keys[table]:
            raise ValueError(f"{table} needs a key that is not taken, not {key!r}")
        self._keys[table].add(str(key))
        self._rows[table].append(tuple(_cell(cells.get(column)) for column in _ORDER[table]))
        return reference(table, str(key))

    def latent(self, ref: str, kind: str, facts: Mapping[str, str], refs: tuple[str, ...] = ()) -> None:
        """Note a fact behind the text of record `ref`."""
        self._latents.append(Latent(ref, kind, dict(facts), refs))

    def cite(self, project: str, record: Citable) -> None:
        """Let the people of a project mention a record from now on."""
        self.citable.setdefault(project, []).append(record)

    def has(self, ref: str) -> bool:
        source, _, key = ref.partition("/")
        return key in self._keys.get(source, ())

    def records(self, table: str) -> list[dict[str, str | None]]:
        return [dict(zip(_ORDER[table], row, strict=True)) for row in self._rows[table]]

    def built(self) -> Built:
        return Built(self._rows, self._latents, self.documents)


def _cell(value: object) -> str | None:
    """A cell as the tables hold it: text, ISO dates, `TRUE` and `FALSE`."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
