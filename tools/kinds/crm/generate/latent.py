"""What a generated org is made of besides rows: the truths behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tools.generating.latent import Latent
from tools.kinds.crm.generate.entities import Agent, CaseFile, Customer, Item, Order, Policy, Product
from tools.kinds.crm.schema import OBJECTS

Row = tuple[str | None, ...]
"""The cells of one row, in the order of the table's columns."""


@dataclass(frozen=True)
class Built:
    """A generated org before it is written.

    Attributes:
        rows: by object its rows, ready for `tools.world.write_world`.
        latents: the truths; a record may have several. Tasks are made from them, no agent ever sees them.
            Kinds: `agent` (User): lacks, specialty, speed, load. `customer` (Account): events, categories,
            activity, complaints. `product`: soft names, burst, weakspots, popularity. `region` (a state):
            factor on handle time. `issue`: weight. `rules` and `advice` (Knowledge__kav): what the article
            states. `case`: issue, agents, transfer, minutes. `conversation` (Case): what was granted for
            what, and which article was broken in which way.
        agents, customers, products, orders, items, policies, cases: the same as objects. Policies are in the
            order of the issues, which `CaseFile.issue` and the like count from 0.
    """

    seed: int
    scale: float
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
        """The truths of one kind by the id of their record."""
        return {latent.ref.partition("/")[2]: latent for latent in self.latents if latent.kind == kind}

    def latent_lines(self) -> Iterable[str]:
        """The lines of `latent.jsonl`."""
        return (latent.to_json() + "\n" for latent in self.latents)
