"""A world while it is generated: how much there is to be, what there is already, and where to put more."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Literal

from worksmith.tools.errors import InputError
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.entities import (
    Citable,
    Client,
    Customer,
    Product,
    Project,
    Sale,
    Vendor,
)
from worksmith.tools.kinds.enterprise.generate.industry import Industry, packaged
from worksmith.tools.kinds.enterprise.generate.latent import Built, Row, reference
from worksmith.tools.kinds.enterprise.generate.staff import People
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.seeding import rng

SCALES = (0.005, 100.0)
"""Outside of these a world is too small to be one, or takes more than 10 GB of memory to generate."""


@dataclass(frozen=True)
class Counts:
    """Records by source. The defaults are those of scale 1, the published system's size.

    `overflow` counts questions and answers together; `orders` follow from the customers, three each;
    policies are always the same.
    """

    employees: int = 1260
    conversations: int = 3000
    mail: int = 4500
    threads: int = 1500
    repositories: int = 1000
    issues: int = 1000
    tickets: int = 163
    products: int = 1352
    customers: int = 832
    sales: int = 13511
    sentiments: int = 13500
    support_chats: int = 1000
    overflow: int = 5000
    posts: int = 1000
    clients: int = 400
    vendors: int = 400
    resumes: int = 1013


_FLOORS = Counts(
    employees=83,
    conversations=60,
    mail=90,
    threads=30,
    repositories=24,
    issues=24,
    tickets=30,
    products=30,
    customers=20,
    sales=120,
    sentiments=120,
    support_chats=40,
    overflow=40,
    posts=20,
    clients=20,
    vendors=20,
    resumes=40,
)
"""At any scale, each of eight departments has one full chain of 1:2:3:4, and tasks have alternatives."""


def counts(scale: float) -> Counts:
    """The counts at `scale`, rounded, never below the floors.

    Raises:
        InputError: if the scale is out of range.
    """
    least, most = SCALES
    if not least <= scale <= most:
        raise InputError(f"the scale {scale:g} is not between {least:g} and {most:g}", where="scale")
    full = Counts()
    values = {
        field.name: max(getattr(_FLOORS, field.name), round(getattr(full, field.name) * scale))
        for field in fields(Counts)
    }
    return Counts(**values)


Hierarchy = Literal["paper", "measured"]
"""Associates, leads, managers and directors of a department: 4:3:2:1, or as in the published data."""

_COLUMNS = {table.name: frozenset(table.columns) for table in TABLES}
_ORDER = {table.name: table.columns for table in TABLES}


class Draft:
    """A world in the making. Entities are added source by source, each from its own random streams.

    Attributes:
        industry: the trade of the company.
        now: the clock of the world; `today` is its day. Nothing happens later.
        counts: how many records of each source there are to be.
        people, projects, products, customers, sales, clients, vendors: what later sources refer to.
        citable: records that people may mention, by the name of the project they belong to.
        documents: files by their path under `documents/`.
    """

    def __init__(
        self, seed: int, scale: float = 1.0, hierarchy: Hierarchy = "paper", industry: Industry | None = None
    ) -> None:
        self.industry = industry or packaged()
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
        """An independent random stream. Name it after the source, so that no source disturbs another."""
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
        return Built(self._rows, self._latents, self.documents, self.industry)


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
