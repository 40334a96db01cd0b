"""Small numbers and periods of time: how questions write them, and which days periods cover."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from random import Random

from dateutil.relativedelta import relativedelta

from worksmith.tools.kinds.crm.moments import LENGTHS, MONTHS

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
)

_IN_WORDS = 0.45


def write_number(number: int, random: Random) -> str:
    """`5` or `five`."""
    words = random.random() < _IN_WORDS and number < len(_WORDS)
    return _WORDS[number] if words else str(number)


def write_threshold(number: int, random: Random) -> str:
    """`more than two cases`, `at least 3 cases`; `any cases` for more than none."""
    more = number + 1
    styles = [
        f"{random.choice(('more than', 'over'))} {_cases(number, random)}",
        f"{random.choice(('more than', 'over'))} {_cases(number, random)}",
        f"at least {_cases(more, random)}",
        f"{write_number(more, random)} or more cases",
    ]
    return random.choice(styles if number else ["any cases", "at least one case", "any cases at all"])


def _cases(number: int, random: Random) -> str:
    return f"{write_number(number, random)} case{'' if number == 1 else 's'}"


QUARTERS = ("Q1", "Q2", "Q3", "Q4")
SEASONS = ("Spring", "Summer", "Fall", "Winter")

_FIRST_MONTH = {
    **{name: number for number, name in enumerate(MONTHS, 1)},
    **{name: 3 * place + 1 for place, name in enumerate(QUARTERS)},
    **{name: 3 * place + 3 for place, name in enumerate(SEASONS)},
}
_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Window:
    """From the beginning of `start` to the beginning of `end`."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Period:
    """A period as questions name it.

    Attributes:
        count: so many units back from today; 0 for an absolute period.
        unit: day, week, month, quarter or year, of a relative period.
        name: month, quarter (`Q1`) or season (`Fall`), of an absolute one.
        year: in which an absolute one begins.
    """

    count: int = 0
    unit: str = ""
    name: str = ""
    year: int = 0

    @property
    def relative(self) -> bool:
        return self.count > 0

    @property
    def text(self) -> str:
        """Its only spelling in slots: `5 weeks`, `Q3 2021`, `Winter 2020`."""
        return f"{self.count} {self.unit}s" if self.relative else f"{self.name} {self.year}"

    @classmethod
    def of(cls, text: str) -> Period:
        """The period that `text` spells."""
        first, _, second = text.partition(" ")
        if first in _FIRST_MONTH and second.isdecimal():
            return cls(name=first, year=int(second))
        if first.isdecimal() and second.removesuffix("s") in LENGTHS:
            return cls(count=int(first), unit=second.removesuffix("s"))
        raise ValueError(f"{text!r} is no period")

    def window(self, today: date) -> Window:
        if self.relative:
            return Window(_midnight(self.back(today)), _midnight(today))
        start = date(self.year, _FIRST_MONTH[self.name], 1)
        return Window(
            _midnight(start), _midnight(start + LENGTHS["month" if self.name in MONTHS else "quarter"])
        )

    @property
    def months(self) -> float:
        """How long a relative one is, about."""
        return self.count * {"day": 1 / 30, "week": 7 / 30, "month": 1, "quarter": 3, "year": 12}[self.unit]

    @property
    def length(self) -> relativedelta:
        """Of a relative one; from a day that another month lacks it leads to that month's last."""
        return LENGTHS[self.unit] * self.count

    def back(self, today: date) -> date:
        """Its first day, for a relative one."""
        return today - self.length


def write_period(period: Period, random: Random) -> str:
    """A period in words with its preposition: `over the past five weeks`, `in the third quarter of 2021`."""
    return _write_relative(period, random) if period.relative else _write_absolute(period, random)


def _write_relative(period: Period, random: Random) -> str:
    if period.count == 1:
        return random.choice((f"over the past {period.unit}", f"in the last {period.unit}"))
    amount = f"{write_number(period.count, random)} {period.unit}s"
    head = random.choice(("over", "during", "in", "within"))
    before = random.choice(("past", "last", "previous"))
    styles = (
        f"{head} the {before} {amount}",
        f"{head} the {before} {amount}",
        f"in the {amount} up to today",
    )
    return random.choice(styles)


def _write_absolute(period: Period, random: Random) -> str:
    head = random.choice(("in", "during"))
    if period.name in MONTHS:
        return f"{head} {period.name} {random.choice(('', 'of '))}{period.year}"
    if period.name in QUARTERS:
        ordinal = f"the {_ORDINALS[QUARTERS.index(period.name)]} quarter of"
        return f"{head} {random.choice((period.name, f'{period.name} of', ordinal))} {period.year}"
    name = random.choice(("fall", "autumn")) if period.name == "Fall" else period.name.lower()
    return f"{head} {random.choice((name, f'the {name} of'))} {period.year}"


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)
