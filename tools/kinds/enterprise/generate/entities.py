"""The generator's knowledge of things that several sources mention."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date

from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS


@dataclass(frozen=True)
class Employee:
    """A person who works, or has worked, for the company.

    Attributes:
        level: two digits, `09` to `14`.
        title: of the job, e.g. `Team Lead, Platform Engineering`.
        manager: id of whom they report to, `None` for the CEO. No current employee reports to a leaver.
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
        return self.name.split()[0]

    @property
    def department_name(self) -> str:
        return DEPARTMENTS[self.department]

    @property
    def rank(self) -> int:
        return int(self.level)

    def active_on(self, day: date) -> bool:
        """Whether the person is employed on `day`, first and last day included."""
        return self.doj <= day and (self.dol is None or day <= self.dol)


@dataclass(frozen=True)
class Product:
    """Something that the company sells. Prices are in rupees.

    Attributes:
        category: from the widest to the narrowest, separated by `|`.
        kind: what it is: `mixer grinder`.
        short: what one calls it in a chat: `grinder`.
        parts: which of its aspects a customer may praise or complain about, e.g. `motor`, `jar lid`.
        quality: from 0 to 1; bad products get bad reviews and many support chats.
    """

    product_id: str
    name: str
    brand: str
    category: str
    kind: str
    short: str
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
    """One purchase: a quantity of a product by a customer, made by an employee of Sales."""

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
        """Percent of the list price, rounded."""
        return round(100 * (self.list_price - self.price) / self.list_price)

    @property
    def total(self) -> int:
        return self.quantity * self.price


@dataclass(frozen=True)
class Client:
    """A business that tries or uses a product through a representative of Business Development.

    Attributes:
        use: what the product is for there, a noun phrase: `the guest rooms`.
        since: the day of onboarding.
    """

    client_id: str
    name: str
    industry: str
    product: Product
    use: str
    since: date
    emp_id: str


@dataclass(frozen=True)
class Vendor:
    """A business that supplies the company, in charge of an employee of Management."""

    vendor_id: str
    name: str
    industry: str
    supplies: str
    emp_id: str


@dataclass(frozen=True)
class Project:
    """What some people work on together for a while.

    Attributes:
        name: as people say it, e.g. `Amber Heron`. No two projects share it.
        department: the code of the department that runs it.
        domain: what it is about, e.g. `web shop`.
        topics: the things that people of this project talk about.
        members: ids of those who take part, the lead first; all are employed during some of its time.
        end: its last day, the day of the world's clock if it goes on.
        industry: that of the company; it has the words of the topics.
        product, client: what it is for; at most one of them.
    """

    name: str
    department: str
    domain: str
    topics: tuple[str, ...]
    members: tuple[str, ...]
    start: date
    end: date
    industry: Industry = field(repr=False, compare=False)
    product: Product | None = None
    client: Client | None = None

    def topic(self, numbers: random.Random) -> str:
        """A topic. Some come up far more often than others, so that each has rivals."""
        weights = [1 / (place + 1.5) for place in range(len(self.topics))]
        return numbers.choices(self.topics, weights)[0]

    def window(self, *people: Employee) -> tuple[date, date] | None:
        """The time of the project during which all of `people` are employed; None without one."""
        first = max(self.start, *(one.doj for one in people))
        last = min(self.end, *(one.dol or self.end for one in people))
        return (first, last) if first <= last else None


@dataclass(frozen=True)
class Citable:
    """A record that a chat or a mail may mention.

    Attributes:
        ref: the record, `source/key`.
        key: how people name it: its key, of a mail that of its thread.
        day: since when it exists.
        people: the ids of those who know of it; everybody if empty.
        name: what goes with the key in the text, for a product its name.
    """

    ref: str
    key: str
    day: date
    people: frozenset[str] = frozenset()
    name: str = ""

    def known_to(self, *readers: Employee) -> bool:
        return not self.people or any(one.emp_id in self.people for one in readers)

    @property
    def source(self) -> str:
        return self.ref.partition("/")[0]

    def mention(self, numbers: random.Random) -> str:
        """A sentence that names the record."""
        forms = grammar("conversations").data["cite"][self.source]
        form: str = numbers.choice(forms)
        return form.format(key=self.key, name=self.name)
