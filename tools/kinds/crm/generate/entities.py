"""The generator's knowledge of an org beyond its records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Channel = Literal["chat", "email"]
Violation = Literal["unlisted", "late", "excess", "skipped_step", "promise"]
"""How an agent may break an article: a remedy that is not in it, one after its time, more than it allows,
without what the customer has to send first, or with a promise beyond it."""


@dataclass(frozen=True)
class Agent:
    """A person who handles cases.

    Attributes:
        specialty: issue that they get and take over more often.
        speed: factor on how long they take.
        load: how many cases they get, relatively.
        gaps: inclination to lack skills, 0 to 1.
    """

    id: str
    name: str
    email: str
    specialty: int
    speed: float
    load: float
    gaps: float


@dataclass(frozen=True)
class Customer:
    """A person who buys.

    Attributes:
        events: of the year (by number) at which they shop; `categories` their taste.
        activity: how many orders they place, relatively.
        complaints: inclination to open cases, 0 to 1.
    """

    account: str
    contact: str
    name: str
    email: str
    state: str
    events: tuple[int, ...]
    categories: tuple[int, ...]
    activity: float
    complaints: float
    phone: str
    city: str

    @property
    def first_name(self) -> str:
        return self.name.split()[0]


@dataclass(frozen=True)
class Product:
    """Something that is sold.

    Attributes:
        shape: what sentences about it may speak of; see `texts/products.toml`.
        soft: ways to speak of it without its name; its description contains them.
        popularity: how often it is bought, relatively.
        burst: the event of the year at which it is bought, and complained about, more often.
        weakspots: two issues (they may be the same) that half of its cases are about.
        price: in cents.
    """

    id: str
    name: str
    kind: str
    shape: str
    soft: tuple[str, str]
    color: str
    material: str
    categories: tuple[int, ...]
    popularity: float
    burst: int
    weakspots: tuple[int, int]
    price: int


@dataclass(frozen=True)
class Order:
    """A purchase; `number` counts from 0. Drafts are not `activated` and never get cases."""

    number: int
    id: str
    customer: Customer
    day: date
    event: int
    activated: bool
    book: int


@dataclass(frozen=True)
class Item:
    id: str
    order: Order
    product: Product


@dataclass(frozen=True)
class Policy:
    """The remedies for an issue, by its article.

    Attributes:
        key: of the issue in the texts.
        step: the proof that the customer must send first.
        remedies: limits by remedy; see `texts/policies.toml`.
    """

    key: str
    name: str
    issue: str
    article: str
    step: str
    remedies: dict[str, dict[str, int]]


@dataclass(frozen=True)
class CaseFile:
    """A case and its handling.

    Attributes:
        agent: who got it first; `owner` who has it now. They differ if it was transferred.
        transferred: when, or None.
        closed: when, or None while it is open.
        days: from the order to its opening, as the articles count them.
    """

    id: str
    number: int
    item: Item
    issue: int
    channel: Channel
    agent: Agent
    owner: Agent
    created: datetime
    transferred: datetime | None
    closed: datetime | None

    @property
    def customer(self) -> Customer:
        return self.item.order.customer

    @property
    def days(self) -> int:
        return (self.created.date() - self.item.order.day).days
