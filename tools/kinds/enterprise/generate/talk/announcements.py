"""Announcements on the social platform: author, time and facts."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import accumulate

from worksmith.tools.kinds.enterprise.generate.business.reviews import defects
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Client, Employee, Product, Project
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.projects import colleagues, workday
from worksmith.tools.kinds.enterprise.generate.wording import texts

_AHEAD = (5, 50)
_HELPERS, _SEATS, _SHOPS = (8, 40), (2, 12), (20, 240)
_FEWEST_SOLD = 50
_SETTLED = timedelta(days=730)
"""Who worked here for less time gets no farewell post."""

_NO_PARTS = ("assembly", "packaging", "software", "wireless connection")
"""Aspects of products that cannot be taken out."""

_TRIES = 60


@dataclass(frozen=True)
class Announcement:
    """One post before it is worded.

    Attributes:
        kind: e.g. `launch`.
        facts: what the post states, with project and topic.
        key: what makes it different; nothing is announced twice.
        refs: the records that it is about.
        part, fault: an aspect of the product, and its fault.
        person: who is honoured.
    """

    kind: str
    project: Project
    topic: str
    author: Employee
    day: date
    facts: dict[str, str]
    key: tuple[str, ...]
    refs: tuple[str, ...] = ()
    product: Product | None = None
    part: str = ""
    fault: str = ""
    client: Client | None = None
    person: Employee | None = None


def announcements(draft: Draft) -> Iterator[Announcement]:
    """As many as the draft has posts. Facts agree with the records: sales, clients and employees."""
    desk = _Desk(draft)
    taken: set[tuple[str, ...]] = set()
    for number in range(1, draft.counts.posts + 1):
        one = desk.draw(draft.rng("posts", number), taken)
        taken.add(one.key)
        yield one


@dataclass(frozen=True)
class _Place:
    """Who writes for which project about what, and when the person can."""

    numbers: random.Random
    kind: str
    project: Project
    topic: str
    author: Employee
    first: date
    last: date

    def says(self, day: date, facts: dict[str, str], *key: str, refs: tuple[str, ...] = ()) -> Announcement:
        """The announcement of `day`; what `key` names is announced once."""
        stated = {"project": self.project.name, "topic": self.topic, **facts}
        key = (self.kind, *(key or (self.project.name, self.topic)))
        return Announcement(self.kind, self.project, self.topic, self.author, day, stated, key, refs)

    def before(self, day: date, least: int, most: int) -> date | None:
        """A workday that many days before `day` on which the author can write; None without one."""
        found = day - timedelta(days=self.numbers.randint(least, most))
        found -= timedelta(days=max(0, found.weekday() - 4))
        return found if self.first <= found <= self.last else None


class _Desk:
    """Draws announcements of all kinds."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._makers: dict[str, Callable[[_Place], Announcement | None]] = {
            "launch": self._launch,
            "partnership": self._partnership,
            "milestone": self._milestone,
            "recall": self._recall,
            "award": self._award,
            "farewell": self._farewell,
        }

    def draw(self, numbers: random.Random, taken: set[tuple[str, ...]]) -> Announcement:
        """An announcement whose key is not taken, of a random kind that still has something to say.

        Raises:
            ValueError: if there is nothing left to announce.
        """
        for kind in numbers.sample(list(self._projects), len(self._projects)):
            projects = self._projects[kind]
            for _ in range(_TRIES if projects else 0):
                project = numbers.choice(projects)
                author = self._draft.people[numbers.choice(project.members)]
                window = project.window(author)
                if window is None:
                    continue
                place = _Place(numbers, kind, project, numbers.choice(project.topics), author, *window)
                one = self._makers.get(kind, self._plain)(place)
                if one is not None and one.key not in taken:
                    return one
        raise ValueError("there is nothing left to announce")

    @cached_property
    def _projects(self) -> dict[str, list[Project]]:
        """By kind of post the projects that may make it."""
        staffed = [one for one in self._draft.projects if one.members]
        return {
            kind: [one for one in staffed if not data["domains"] or one.domain in data["domains"]]
            for kind, data in texts("posts/facts")["kinds"].items()
        }

    def _plain(self, place: _Place) -> Announcement:
        """An event of the project: an open day, a course, a day of help, open positions."""
        day = workday(place.numbers, place.first, place.last)
        facts = {"day": _ahead(place.numbers, day).isoformat()}
        data = texts("posts/facts")["places"]
        if place.kind == "hiring":
            facts = {"figure": str(place.numbers.randint(*_SEATS))} | facts
        elif place.kind == "volunteering":
            helps = texts("posts/stories")["help"]
            facts = {
                "place": place.numbers.choice(list(helps)),
                "figure": str(place.numbers.randint(*_HELPERS)),
            }
        else:
            facts["place"] = place.numbers.choice(data[place.kind])
        return place.says(day, facts)

    def _launch(self, place: _Place) -> Announcement | None:
        """A product some days before its first sale."""
        low = bisect_left(self._first_days, place.first)
        high = bisect_right(self._first_days, place.last)
        if low == high:
            return None
        first, product = self._first_sales[place.numbers.randrange(low, high)]
        day = place.before(first, 4, 40)
        if day is None:
            return None
        facts = {"about": product.name, "day": first.isoformat()}
        facts["figure"] = str(place.numbers.randint(*_SHOPS))
        return self._on_product(place, day, facts, product)

    def _recall(self, place: _Place) -> Announcement | None:
        """A product that was sold before."""
        day = workday(place.numbers, place.first, place.last)
        known = bisect_left(self._first_days, day - timedelta(days=_AHEAD[1]))
        if known == 0:
            return None
        product = self._first_sales[place.numbers.randrange(known)][1]
        facts = {"about": product.name, "day": _ahead(place.numbers, day).isoformat()}
        return self._on_product(place, day, facts, product)

    def _on_product(self, place: _Place, day: date, facts: dict[str, str], product: Product) -> Announcement:
        part = _part(place.numbers, product)
        refs = (reference("products", product.product_id),)
        fault = place.numbers.choice(defects(self._draft.industry, product.kind)[part])
        said = place.says(day, facts, product.product_id, refs=refs)
        return replace(said, product=product, part=part, fault=fault)

    def _milestone(self, place: _Place) -> Announcement | None:
        """How many pieces of one kind of product were sold up to the day, by the sales records."""
        day = workday(place.numbers, place.first, place.last)
        kind = place.numbers.choice(list(self._sold))
        days, sums = self._sold[kind]
        known = bisect_right(days, day)
        if known == 0 or sums[known - 1] < _FEWEST_SOLD:
            return None
        product = place.numbers.choice(self._by_kind[kind])
        facts = {"range": kind, "figure": str(sums[known - 1])}
        part = _part(place.numbers, product)
        return replace(place.says(day, facts, kind, str(day.year)), product=product, part=part)

    def _partnership(self, place: _Place) -> Announcement | None:
        """A client some days before it is onboarded."""
        client = place.numbers.choice(self._draft.clients)
        day = place.before(client.since, 2, 20)
        if day is None:
            return None
        facts = {"about": client.name, "day": client.since.isoformat()}
        refs = (reference("clients", client.client_id),)
        part = _part(place.numbers, client.product)
        said = place.says(day, facts, client.client_id, refs=refs)
        return replace(said, product=client.product, part=part, client=client)

    def _award(self, place: _Place) -> Announcement | None:
        """Another member of the project, employed on both days."""
        day = workday(place.numbers, place.first, place.last)
        ceremony = _ahead(place.numbers, day)
        staff = [
            one
            for one in colleagues(self._draft, place.project)
            if one is not place.author and one.active_on(day) and one.active_on(ceremony)
        ]
        if not staff:
            return None
        who = place.numbers.choice(staff)
        return replace(
            place.says(day, {"who": who.name, "day": ceremony.isoformat()}, who.emp_id), person=who
        )

    def _farewell(self, place: _Place) -> Announcement | None:
        """Another member of the project who leaves soon, after some years."""
        leaving = [
            one
            for one in colleagues(self._draft, place.project)
            if one is not place.author and one.dol is not None and one.dol - one.doj >= _SETTLED
        ]
        if not leaving:
            return None
        who = place.numbers.choice(leaving)
        assert who.dol is not None
        day = place.before(who.dol, 3, 25)
        if day is None:
            return None
        return replace(place.says(day, {"who": who.name, "day": who.dol.isoformat()}, who.emp_id), person=who)

    @cached_property
    def _first_sales(self) -> list[tuple[date, Product]]:
        """By day the products and when each was sold for the first time."""
        found: dict[str, tuple[date, Product]] = {}
        for sale in self._draft.sales:
            day, _ = found.get(sale.product.product_id, (sale.day, None))
            found[sale.product.product_id] = (min(day, sale.day), sale.product)
        return sorted(found.values(), key=lambda pair: (pair[0], pair[1].product_id))

    @cached_property
    def _first_days(self) -> list[date]:
        return [day for day, _ in self._first_sales]

    @cached_property
    def _by_kind(self) -> dict[str, list[Product]]:
        found: dict[str, list[Product]] = defaultdict(list)
        for product in self._draft.products:
            found[product.kind].append(product)
        return found

    @cached_property
    def _sold(self) -> dict[str, tuple[list[date], list[int]]]:
        """By kind of product the days of its sales and the pieces sold up to each of them."""
        sales: dict[str, list[tuple[date, int]]] = defaultdict(list)
        for sale in self._draft.sales:
            sales[sale.product.kind].append((sale.day, sale.quantity))
        return {
            kind: ([day for day, _ in sorted(sold)], list(accumulate(count for _, count in sorted(sold))))
            for kind, sold in sorted(sales.items())
        }


def _ahead(numbers: random.Random, day: date) -> date:
    """A workday after `day`."""
    found = day + timedelta(days=numbers.randint(*_AHEAD))
    return found + timedelta(days=max(0, 7 - found.weekday()) if found.weekday() > 4 else 0)


def _part(numbers: random.Random, product: Product) -> str:
    return numbers.choice([part for part in product.parts if part not in _NO_PARTS])
