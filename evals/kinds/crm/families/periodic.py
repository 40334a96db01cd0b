"""Families of questions about a period of time: their draws, as the family's TOML file says.

The file has `nones`, the share of questions without an answer by mode, and a table `[draw]`:

- `kinds`: the weights of `week`, `month`, `quarter` and `year` (back from today) and of `named_month`,
  `named_quarter` and `season`; for the former `counts.KIND`, weights of how many; for the latter
  `names.KIND`, weights of which, and `years`.
- `also`: names of tables of weights whose entries make the strata together with the kinds (`week/2/max`).
- `longest.MODE`: the months that no relative period exceeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from math import prod
from random import Random
from typing import Any

from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.periods import Period
from worksmith.evals.kinds.crm.questions.wording import phrased, with_periods, wording
from worksmith.evals.kinds.crm.reading.recognise import recognise

LAST_FAITHFUL_DAY = date(2024, 12, 31)
"""The published questions are asked up to here, and later, though the records end before."""


_READ_AS = {"product_name": "phrase"}
"""What the reader of wordings calls slots that have another name here."""


def weighted(table: Mapping[str, float], random: Random) -> str:
    return random.choices(list(table), list(table.values()))[0]


def draw_period(table: Mapping[str, Any], kind: str, random: Random) -> Period:
    if kind in table["counts"]:
        return Period(count=int(weighted(table["counts"][kind], random)), unit=kind)
    return Period(name=weighted(table["names"][kind], random), year=int(weighted(table["years"], random)))


def draw_today(period: Period, org: OrgRecords, mode: Mode, random: Random) -> date | Doubt:
    """A day to ask on: in clean mode one for which the period is over and wholly within the records."""
    if mode == "faithful":
        return _between(org.first_day + timedelta(days=3), LAST_FAITHFUL_DAY, random)
    if not period.relative:
        end = period.window(org.snapshot).end.date()
        return _between(end, org.snapshot, random) if end <= org.snapshot else Doubt("period not over")
    today = _between(org.first_day, org.snapshot, random)
    return today if period.back(today) >= org.first_day else Doubt("period before the records")


def asked_on(period: Period, today: date) -> dict[str, str]:
    """The slots `period` and, where the truth depends on it, `today`."""
    return {"period": period.text, **({"today": today.isoformat()} if period.relative else {})}


def _between(first: date, last: date, random: Random) -> date:
    return first + timedelta(days=random.randint(0, (last - first).days))


class Periodic(Family):
    """The part of a `Family` that its wording decides. Strata are `KIND/...`."""

    def context(self, mode: Mode) -> str:
        return with_periods(super().context(mode))

    def nones(self, mode: Mode) -> float:
        share: float = wording(self.name)["nones"][mode]
        return share

    def strata(self, mode: Mode) -> Mapping[str, float]:
        tables = [self._draw["kinds"], *(self._draw[name] for name in self._draw.get("also", ()))]
        parts = product(*(table.items() for table in tables))
        return {"/".join(name for name, _ in each): prod(weight for _, weight in each) for each in parts}

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        kind, *others = stratum.split("/")
        most = self._draw.get("longest", {}).get(mode)
        while True:
            period = draw_period(self._draw, kind, random)
            if most is not None and period.relative and period.months > most:
                yield Doubt("period too long")
                continue
            today = draw_today(period, org, mode, random)
            if isinstance(today, Doubt):
                yield today
                continue
            slots = asked_on(period, today)
            drawn = self.drawn(org, mode, Question(slots, today, None, stratum), others, random)
            truth = self.truth(org, mode, drawn)
            if not isinstance(truth, Doubt) and mode == "clean":
                truth = self.doubt(org, drawn) or truth
            yield truth if isinstance(truth, Doubt) else replace(drawn, answer=truth)

    def phrase(self, question: Question, random: Random) -> str:
        return phrased(self.name, question.slots, random, **self.given(question))

    def parse(self, text: str) -> Mapping[str, str] | None:
        slots = recognise(text, self.name).slots
        found = {name: slots.get(_READ_AS.get(name, name), "") for name in self.worded}
        return found if all(found.values()) else None

    # --- what families decide --------------------------------------------------------------------------

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        """A question with all its slots.

        Args:
            question: with its period and day.
            others: the rest of the stratum.
        """
        return question

    def given(self, question: Question) -> dict[str, str]:
        """What stands in templates besides `period`, `n` and `extreme`."""
        return {}

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        """Why a question with an answer, or with none, should still not be asked in clean mode."""
        return None

    @property
    def _draw(self) -> Mapping[str, Any]:
        table: Mapping[str, Any] = wording(self.name)["draw"]
        return table
