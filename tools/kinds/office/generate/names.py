"""The names of one generated office, drawn from a pool by its seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.office.schema import BOARDS
from worksmith.tools.seeding import rng

STAFF_PER_BOARD = 5
SALES_STAFF = 5
EVENT_NAMES = 48


@dataclass(frozen=True)
class Employee:
    first_name: str
    address: str


@dataclass(frozen=True)
class Cast:
    """The people of an office and the names of its events.

    Attributes:
        boards: the project staff of each board.
        sales: those who look after customers.
        events: event names.
    """

    boards: dict[str, tuple[Employee, ...]]
    sales: tuple[Employee, ...]
    events: tuple[str, ...]

    @property
    def everyone(self) -> tuple[Employee, ...]:
        """All employees, in the order of the directory: project staff by board, then sales."""
        return (*(one for staff in self.boards.values() for one in staff), *self.sales)


@cache
def pool(file: str = "names.toml") -> dict[str, Any]:
    return read_toml(__package__, file)


def draw_cast(seed: int, mail_domain: str) -> Cast:
    names = pool()
    random = rng(seed, "office", "cast")
    count = STAFF_PER_BOARD * len(BOARDS) + SALES_STAFF
    firsts = random.sample(names["first_names"], count)
    lasts = random.sample(names["surnames"], count)
    staff = [
        Employee(first, f"{first}.{last}@{mail_domain}".lower())
        for first, last in zip(firsts, lasts, strict=True)
    ]
    boards = {
        board: tuple(staff[i * STAFF_PER_BOARD : (i + 1) * STAFF_PER_BOARD]) for i, board in enumerate(BOARDS)
    }
    return Cast(boards, tuple(staff[-SALES_STAFF:]), tuple(random.sample(names["events"], EVENT_NAMES)))


def record_id(number: int) -> str:
    return f"{number:08d}"
