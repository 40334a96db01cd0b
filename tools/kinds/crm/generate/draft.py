"""An org while it is generated, and once it is finished."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.generate.company import DEFAULT_NOW, Counts, counts
from worksmith.tools.kinds.crm.generate.entities import (
    Agent,
    CaseFile,
    Customer,
    Item,
    Order,
    Policy,
    Product,
)
from worksmith.tools.kinds.crm.generate.industry import Industry, packaged
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.seeding import rng

Row = tuple[str | None, ...]
"""The cells of one row, in the order of the table's columns."""


@dataclass(frozen=True)
class Built:
    """A generated org before it is written.

    Attributes:
        rows: by object its rows, ready for `worksmith.tools.world.write_world`.
        latents: the truths; a record may have several. Tasks are made from them, no agent ever sees them.
            Kinds: `agent` (User): lacks, specialty, speed, load. `customer` (Account): events, categories,
            activity, complaints. `product`: soft names, burst, weakspots, popularity. `region` (a state):
            factor on handle time. `issue`: weight. `rules` and `advice` (Knowledge__kav): the facts of the
            article. `case`: issue, agents, transfer, minutes. `conversation` (Case): the granted remedies,
                and the broken articles with the violations.
        agents, customers, products, orders, items, policies, cases: the same as objects. Policies are in the
            order of the issues, which `CaseFile.issue` and the like count from 0.
    """

    seed: int
    scale: float
    industry: Industry = field(repr=False)
    rows: dict[str, list[Row]]
    latents: list[Latent]
    agents: list[Agent] = field(repr=False)
    customers: list[Customer] = field(repr=False)
    products: list[Product] = field(repr=False)
    orders: list[Order] = field(repr=False)
    items: list[Item] = field(repr=False)
    policies: list[Policy] = field(repr=False)
    cases: list[CaseFile] = field(repr=False)

    def records(self, name: str) -> list[dict[str, str | None]]:
        """The rows of object `name` as dictionaries by field."""
        columns = OBJECTS[name].columns
        return [dict(zip(columns, row, strict=True)) for row in self.rows[name]]

    def latents_of(self, kind: str) -> dict[str, Latent]:
        return {latent.ref.partition("/")[2]: latent for latent in self.latents if latent.kind == kind}

    def latent_lines(self) -> Iterable[str]:
        """The lines of `latent.jsonl`."""
        return (latent.to_json() + "\n" for latent in self.latents)


_FIRST_NUMBERS = (4_000, 900_000)
"""Ids of an object start somewhere here, elsewhere with each seed, so that ids cannot be memorised."""


class Draft:
    """An org in the making. Objects are added one by one, each from its own random streams.

    Attributes:
        now: the clock of the org. Nothing happens later.
        counts: how many records there are to be.
        industry: the goods of the company.
        lacks: issues that agents cannot solve, by the agents' ids.
        entries: ids and prices in cents of price book entries, by number of the book and id of the product.
    """

    def __init__(self, seed: int, scale: float = 1.0, industry: Industry | None = None) -> None:
        self.seed = seed
        self.scale = scale
        self.industry = industry or packaged()
        self.now: datetime = DEFAULT_NOW
        self.counts: Counts = counts(scale)
        self.agents: list[Agent] = []
        self.lacks: dict[str, set[int]] = {}
        self.customers: list[Customer] = []
        self.products: list[Product] = []
        self.categories: list[str] = []
        self.books: list[str] = []
        self.entries: list[dict[str, tuple[str, int]]] = []
        self.orders: list[Order] = []
        self.items: list[Item] = []
        self.policies: list[Policy] = []
        self.cases: list[CaseFile] = []
        self.rows: dict[str, list[Row]] = {name: [] for name in OBJECTS}
        self.latents: list[Latent] = []
        self._next: dict[str, int] = {}

    def rng(self, stream: str, *keys: str | int) -> random.Random:
        """An independent random stream. Name it after its purpose, so that nothing disturbs another."""
        return rng(self.seed, "crm", stream, *keys)

    def id(self, name: str) -> str:
        return self.id_of(OBJECTS[name].prefix)

    def id_of(self, prefix: str) -> str:
        """The next id with `prefix`, which need not be of an object of the org."""
        number = self._next.get(prefix) or self.rng("ids", prefix).randrange(*_FIRST_NUMBERS)
        self._next[prefix] = number + 1
        return make_id(prefix, number)

    def add(self, name: str, **cells: object) -> str:
        """Add a record; cells left out are NULL, other values take the form that results print."""
        columns = OBJECTS[name].columns
        row = tuple(_cell(cells.pop(column, None)) for column in columns)
        if cells or row[0] is None:
            raise KeyError(f"{name} has an Id and no field {', '.join(sorted(cells))}")
        self.rows[name].append(row)
        return row[0]

    def size(self, name: str) -> int:
        return len(self.rows[name])

    def latent(
        self, name: str, key: str, kind: str, facts: Mapping[str, object], refs: Sequence[str] = ()
    ) -> None:
        """Note a truth about record `key` of object `name`; lists and numbers become text."""
        self.latents.append(
            Latent(f"{name}/{key}", kind, {k: _fact(v) for k, v in facts.items()}, tuple(refs))
        )

    def built(self) -> Built:
        return Built(**{each.name: getattr(self, each.name) for each in fields(Built)})


def written_moment(value: datetime) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%S.000+0000")


def written_cents(cents: int) -> str:
    return f"{cents / 100:.2f}"


def _cell(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return written_moment(value)
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _fact(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "; ".join(_fact(each) for each in sorted(value) if each is not None)
    return _cell(value) or ""
