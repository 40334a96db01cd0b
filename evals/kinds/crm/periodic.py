"""What families of questions about a period of time have in common; what differs stands in their TOML files.

Besides what `evals.kinds.crm.wording` and `evals.kinds.crm.draws` describe, a file has `nones`, the share of
questions
without an answer by mode, and in `[draw]`: `also`, names of tables of weights whose entries make the strata
together with the kinds of periods (`week/2/max`); `longest.MODE`, the months that no relative period exceeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from random import Random
from typing import Any

from evals.kinds.crm.books import Books
from evals.kinds.crm.draws import asked_on, draw_period, draw_today
from evals.kinds.crm.family import Doubt, Mode, Question, Truth
from evals.kinds.crm.wording import Worded, phrased, read, with_periods, wording


class Periodic(Worded):
    """The part of a `Family` that its wording decides. Strata are `KIND/...`.

    Of the slots that wordings say, `period`, `n` and `extreme` are read here.
    """

    def context(self, mode: Mode) -> str:
        """See `Family`."""
        return with_periods(super().context(mode))

    def nones(self, mode: Mode) -> float:
        """See `Family`."""
        share: float = wording(self.name)["nones"][mode]
        return share

    def strata(self, mode: Mode) -> Mapping[str, float]:
        """See `Family`."""
        tables = [self._draw["kinds"], *(self._draw[name] for name in self._draw.get("also", ()))]
        parts = product(*(table.items() for table in tables))
        return {"/".join(name for name, _ in each): prod(weight for _, weight in each) for each in parts}

    def candidates(
        self, books: Books, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        """See `Family`."""
        kind, *others = stratum.split("/")
        most = self._draw.get("longest", {}).get(mode)
        while True:
            period = draw_period(self._draw, kind, random)
            if most is not None and period.relative and period.months > most:
                yield Doubt("period too long")
                continue
            today = draw_today(period, books, mode, random)
            if isinstance(today, Doubt):
                yield today
                continue
            slots = asked_on(period, today)
            drawn = self.drawn(books, mode, Question(slots, today, None, stratum), others, random)
            truth = self.truth(books, mode, drawn)
            if not isinstance(truth, Doubt) and mode == "clean":
                truth = self.doubt(books, drawn) or truth
            yield truth if isinstance(truth, Doubt) else replace(drawn, answer=truth)

    def phrase(self, question: Question, random: Random) -> str:
        """See `Family`."""
        return phrased(self.name, question.slots, random, **self.given(question))

    def parse(self, text: str) -> Mapping[str, str] | None:
        """See `Family`."""
        return self.read(text)

    def read(self, text: str, **others: str | None) -> Mapping[str, str] | None:
        """The slots that a wording says, `others` among them; None unless it says all that it should."""
        known = {**read(text), **others}
        found = {name: value for name in self.worded if (value := known.get(name)) is not None}
        return found if found.keys() == self.worded else None

    # --- what families decide --------------------------------------------------------------------------

    def drawn(
        self, books: Books, mode: Mode, question: Question, others: Sequence[str], random: Random
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

    def doubt(self, books: Books, question: Question) -> Doubt | None:
        """Why a question with an answer, or with none, should still not be asked in clean mode."""
        return None

    def truth(self, books: Books, mode: Mode, question: Question) -> Truth:
        """See `Family`."""
        raise NotImplementedError

    @property
    def _draw(self) -> Mapping[str, Any]:
        table: Mapping[str, Any] = wording(self.name)["draw"]
        return table
