"""Who stands where: departments, levels, managers, and when people came and went."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta

from worksmith.tools.generating.apportion import apportion
from worksmith.tools.kinds.enterprise.generate.company import FOUNDED, TODAY
from worksmith.tools.kinds.enterprise.generate.draft import Hierarchy
from worksmith.tools.kinds.enterprise.generate.staff import EXECUTIVES, ORDINARY
from worksmith.tools.kinds.enterprise.generate.wording import texts

_RATIOS: dict[Hierarchy, tuple[float, ...]] = {"paper": (4, 3, 2, 1), "measured": (54, 24, 20, 2.5)}
_UNDER_CTO = ("EN", "IN")
_FEWEST = 10
_LEFT = 0.15
_JOINED_BY = {
    "14": date(2015, 12, 31),
    "12": date(2018, 12, 31),
    "10": date(2020, 12, 31),
    "09": date(2022, 9, 30),
}
_SHORTEST_STAY = timedelta(days=270)
_LAST_LEAVING = TODAY - timedelta(days=8)


@dataclass
class Position:
    """A place in the organisation, and from when to when its holder had it.

    Attributes:
        group: which of the department's teams, counted from 0.
    """

    department: str
    level: str
    group: int
    manager: Position | None
    doj: date = FOUNDED
    dol: date | None = None
    team: str = field(default="", compare=False)

    def manager_in_office(self) -> Position | None:
        """The nearest above who was still there at this one's own last day: leavers' reports move up."""
        above = self.manager
        while above is not None and above.dol is not None and (self.dol is None or above.dol <= self.dol):
            above = above.manager
        return above


def positions(numbers: random.Random, count: int, hierarchy: Hierarchy) -> list[Position]:
    """`count` positions: executives first, then each department from its directors down."""
    chief = Position("CE", "14", 0, None)
    technology, operations = Position("CT", "14", 0, chief), Position("CO", "14", 0, chief)
    found = [chief, technology, operations]
    assert [position.department for position in found] == list(EXECUTIVES)
    departments = texts("employees")["departments"]
    sizes = apportion(count - len(found), [departments[code]["share"] for code in ORDINARY], _FEWEST)
    for code, size in zip(ORDINARY, sizes, strict=True):
        found += _department(numbers, code, size, technology if code in _UNDER_CTO else operations, hierarchy)
    for position in found:
        position.team = _team(position, departments[position.department]["teams"])
        if position.department not in EXECUTIVES:
            position.doj = _joining_day(numbers, position)
    _leave(numbers, found, round(_LEFT * count))
    return found


def _department(
    numbers: random.Random, code: str, size: int, head: Position, hierarchy: Hierarchy
) -> list[Position]:
    associates, leads, managers, directors = apportion(size, _RATIOS[hierarchy], floor=1)
    above = [Position(code, "14", group, head) for group in range(directors)]
    found = list(above)
    for level, many in (("12", managers), ("10", leads), ("09", associates)):
        # Everybody above gets one report before anybody gets a second, then chance decides.
        bosses = above[:many] + [numbers.choice(above) for _ in range(many - len(above))]
        above = [Position(code, level, boss.group, boss) for boss in bosses]
        found += above
    return found


def _team(position: Position, teams: list[str]) -> str:
    return teams[position.group % len(teams)]


def _joining_day(numbers: random.Random, position: Position) -> date:
    """Seniors came early; the company grew, so that among juniors late days are likelier."""
    span = (_JOINED_BY[position.level] - FOUNDED).days
    share = numbers.random() ** (1.0 if position.level == "14" else 0.8)
    return FOUNDED + timedelta(days=round(span * share))


def _leave(numbers: random.Random, found: list[Position], count: int) -> None:
    """Let `count` people leave. Directors stay, and of every level of a department somebody does."""
    stayed: set[tuple[str, str]] = set()
    candidates = []
    for position in numbers.sample(found, len(found)):
        if position.department in EXECUTIVES or position.level == "14":
            continue
        if (position.department, position.level) not in stayed:
            stayed.add((position.department, position.level))
        elif position.doj + _SHORTEST_STAY < _LAST_LEAVING:
            candidates.append(position)
    for position in candidates[:count]:
        first = position.doj + _SHORTEST_STAY
        position.dol = first + timedelta(days=numbers.randint(0, (_LAST_LEAVING - first).days))
