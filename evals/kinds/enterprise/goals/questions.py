"""Questions that a data file asks.

Of such a goal the file has `start`, the record where the question begins, and `asks`, what it asks for, in
the order in which the plan looks for it. With `apart`, pairs of ways must end at different records. The
file's head has

    starts   `source`, empty where the text is not about this record; `draw`, a function of the group, with
             arguments `given`; and `find`, another one, or `why` and the arguments `with` of a lookup of the
             source, or of the source that it is to `read`
    links    lead from one record to another: the source to `read`, `why`, and the arguments `with`; `where`,
             the cells that the record has in the truth, if they are called otherwise; and `who`, whether an
             employee has to be a `colleague` still here, or some `other` one than the persona
    counts   how many records of a source there are, see `Path.count`

In arguments `{customer_id}` is a slot, or a cell of the record from which a link leads. An ask is one of

    review.author.region   a cell of the record that these links lead to
    review.fact due date   what its text tells, as a date; `understood` where it says so in other words
    seller.clients         a count, or a value that a function of the group finds
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, need, only
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.paths import (
    HERE,
    MANAGER,
    Ask,
    Found,
    Link,
    Path,
    Question,
    Start,
)
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row

Drawer = Callable[..., Found]
Finder = Callable[[PlanRecorder, Slots], Row]


class Questions:
    """The questions of one data file.

    Args:
        head: of the file.
        draws, finds: functions of the group, by name.
        links: those that are functions.
        asks: values that are functions; their paths are empty.
    """

    def __init__(
        self,
        head: Mapping[str, Mapping[str, Any]],
        draws: Mapping[str, Drawer],
        finds: Mapping[str, Finder],
        links: Mapping[str, Link],
        asks: Mapping[str, Ask],
    ) -> None:
        self._counts = head["counts"]
        self._asks = asks
        declared = {name: _link(entry) for name, entry in head["links"].items()}
        self._links = {"manager": MANAGER, **links, **declared}
        self.starts = {name: _start(entry, draws, finds) for name, entry in head["starts"].items()}

    def of(self, goal: Mapping[str, Any]) -> Question:
        """The question of a goal."""
        start = self.starts[goal["start"]]
        apart = [(self._path(first), self._path(second)) for first, second in goal.get("apart", ())]
        return Question(start, *(self._ask(text, start.source) for text in goal["asks"]), apart=apart)

    def _path(self, text: str) -> Path:
        return HERE.to(*(self._links[name] for name in text.split(".") if name))

    def _ask(self, text: str, source: str) -> Ask:
        way, *fact = text.split()
        ways, _, last = way.rpartition(".")
        path = self._path(ways)
        if fact:
            name, kind = fact[0], fact[1] if len(fact) > 1 else "text"
            tells = path.fact if last == "fact" else path.understood
            return tells(
                path.links[-1].source if path.links else source, name, partial(entities.of_kind, kind)
            )
        if last in self._counts:
            return path.count(**self._counts[last])
        return replace(self._asks[last], path=path) if last in self._asks else path.column(last)


def _link(entry: Mapping[str, Any]) -> Link:
    read, who = entry["read"], entry.get("who", "")
    there: Mapping[str, str] = entry.get("where", entry["with"])

    def truth(ctx: DrawContext, row: Record) -> Record:
        cells = {name: text.format_map(row) for name, text in there.items()}
        if not who:
            return only(ctx.facts.where(read, **cells))
        person = ctx.facts.colleague(cells["emp_id"])
        return ctx.other(person) if who == "other" else need(person)

    def lookup(plan: PlanRecorder, row: Row) -> Row:
        arguments = {name: text.format_map(row) for name, text in entry["with"].items()}
        return plan.one(read, entry["why"].format_map(row), **arguments)

    return Link(truth, lookup, read)


def _start(entry: Mapping[str, Any], draws: Mapping[str, Drawer], finds: Mapping[str, Finder]) -> Start:
    source: str = entry.get("source", "")

    def find(plan: PlanRecorder, slots: Slots) -> Row:
        arguments = {name: text.format_map(slots) for name, text in entry["with"].items()}
        return plan.one(entry.get("read", source), entry["why"].format_map(slots), **arguments)

    draw = partial(draws[entry["draw"]], **entry.get("given", {}))
    return Start(source, draw, finds[entry["find"]] if "find" in entry else find)
