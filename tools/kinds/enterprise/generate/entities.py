"""What the generator knows about the things that several sources speak of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from tools.kinds.enterprise.schema import DEPARTMENTS


@dataclass(frozen=True)
class Employee:
    """Somebody who works, or has worked, for the company.

    Attributes:
        level: two digits, `09` to `14`.
        title: of the job, e.g. `Team Lead, Platform Engineering`.
        manager: id of whom they report to, `None` for the CEO. Nobody in office reports to a leaver.
        team: what they work on within the department, e.g. `Platform Engineering`.
        doj: first day.
        dol: last day, `None` for who is still there. It lies before the clock of the world.
        salary: a month, in rupees.
        taken: days of casual, sick and vacation leave taken in the clock's year.
    """

    emp_id: str
    name: str
    email: str
    gender: str
    department: str
    level: str
    title: str
    manager: str | None
    team: str
    skills: tuple[str, ...]
    doj: date
    dol: date | None
    salary: int
    age: int
    taken: tuple[int, int, int]

    @property
    def first_name(self) -> str:
        """What colleagues call them."""
        return self.name.split()[0]

    @property
    def department_name(self) -> str:
        """Of the department, in words."""
        return DEPARTMENTS[self.department]

    @property
    def rank(self) -> int:
        """The level as a number."""
        return int(self.level)

    def active_on(self, day: date) -> bool:
        """Whether they are employed on `day`, first and last day included."""
        return self.doj <= day and (self.dol is None or day <= self.dol)


@dataclass(frozen=True)
class Product:
    """Something that the company sells. Prices are in rupees.

    Attributes:
        category: from the widest to the narrowest, separated by `|`.
        kind: what it is, as one would say in a chat: `mixer grinder`.
        parts: which of its aspects a customer may praise or complain about, e.g. `motor`, `jar lid`.
        quality: from 0 to 1; bad products get bad reviews and many support chats.
    """

    product_id: str
    name: str
    brand: str
    category: str
    kind: str
    parts: tuple[str, ...]
    price: int
    list_price: int
    quality: float


@dataclass(frozen=True)
class Customer:
    """A shop or person who buys from the company.

    Attributes:
        patience: from 0 to 1; the impatient complain and escalate.
    """

    customer_id: str
    name: str
    region: str
    patience: float
    business: bool = False


@dataclass(frozen=True)
class Sale:
    """One purchase: a quantity of a product by a customer, made by somebody of Sales."""

    sales_record_id: str
    product: Product
    customer: Customer
    emp_id: str
    quantity: int
    price: int
    list_price: int
    day: date

    @property
    def discount(self) -> int:
        """In percent of the list price, rounded."""
        return round(100 * (self.list_price - self.price) / self.list_price)

    @property
    def total(self) -> int:
        """What was paid."""
        return self.quantity * self.price


@dataclass(frozen=True)
class Client:
    """A business that tries or uses a product through a representative of Business Development."""

    client_id: str
    name: str
    industry: str
    product: Product
    emp_id: str


@dataclass(frozen=True)
class Vendor:
    """A business that supplies the company, looked after by somebody of Management."""

    vendor_id: str
    name: str
    industry: str
    supplies: str
    emp_id: str
