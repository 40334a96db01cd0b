"""An org while it is generated: what there is already, and where to put more."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from tools.generating.latent import Latent
from tools.kinds.crm.generate.company import DEFAULT_NOW
from tools.kinds.crm.generate.counts import Counts, counts
from tools.kinds.crm.generate.entities import Agent, CaseFile, Customer, Item, Order, Policy, Product
from tools.kinds.crm.generate.latent import Built, Row
from tools.kinds.crm.ids import make_id
from tools.kinds.crm.schema import OBJECTS
from tools.seeding import rng

_FIRST_NUMBERS = (4_000, 900_000)
"""Ids of an object start somewhere here, elsewhere with each seed, so that ids cannot be memorised."""


class Draft:
    """An org in the making. Things are added object by object, each from random streams of its own.

    Attributes:
        now: the clock of the org. Nothing happens later.
        counts: how many records there are to be.
        noise: whether to add records that only get in the way.
        lacks: issues that agents cannot solve, by the agents' ids.
        entries: ids and prices in cents of price book entries, by number of the book and id of the product.
    """

    def __init__(self, seed: int, scale: float = 1.0, *, noise: bool = False) -> None:
        self.seed = seed
        self.scale = scale
        self.noise = noise
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
        self._rows: dict[str, list[Row]] = {name: [] for name in OBJECTS}
        self._latents: list[Latent] = []
        self._next: dict[str, int] = {}

    def rng(self, stream: str, *keys: str | int) -> random.Random:
        """A random stream of its own. Name it after its purpose, so that nothing disturbs another."""
        return rng(self.seed, "crm", stream, *keys)

    def id(self, name: str) -> str:
        """The next id of an object."""
        return self.id_of(OBJECTS[name].prefix)

    def id_of(self, prefix: str) -> str:
        """The next id with `prefix`, which need not be of an object of the org."""
        number = self._next.get(prefix) or self.rng("ids", prefix).randrange(*_FIRST_NUMBERS)
        self._next[prefix] = number + 1
        return make_id(prefix, number)

    def add(self, name: str, **cells: object) -> str:
        """Add a record with its Id; cells left out are NULL, other values take the form that results print.

        Raises:
            KeyError: if a field is unknown.
        """
        columns = OBJECTS[name].columns
        row = tuple(_cell(cells.pop(column, None)) for column in columns)
        if cells or row[0] is None:
            raise KeyError(f"{name} has an Id and no field {', '.join(sorted(cells))}")
        self._rows[name].append(row)
        return row[0]

    def size(self, name: str) -> int:
        """How many records of an object there are so far."""
        return len(self._rows[name])

    def latent(
        self, name: str, key: str, kind: str, facts: Mapping[str, object], refs: Sequence[str] = ()
    ) -> None:
        """Note a truth about record `key` of object `name`; lists and numbers become text."""
        self._latents.append(
            Latent(f"{name}/{key}", kind, {k: _fact(v) for k, v in facts.items()}, tuple(refs))
        )

    def built(self) -> Built:
        """The finished org."""
        return Built(
            self.seed,
            self.scale,
            self._rows,
            self._latents,
            self.agents,
            self.customers,
            self.products,
            self.orders,
            self.items,
            self.policies,
            self.cases,
        )


def written_moment(value: datetime) -> str:
    """A point in time as results print it."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.000+0000")


def written_cents(cents: int) -> str:
    """An amount as results print it."""
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
