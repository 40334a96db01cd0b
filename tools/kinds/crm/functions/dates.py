"""Functions that reckon: with dates, and with the numbers that other functions return."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

from worksmith.tools.kinds.crm.functions.base import Base, Counts, Ids, Records, Values, tally
from worksmith.tools.kinds.crm.moments import MONTHS, earlier, read_recorded, span, text_of

Period = Literal["day", "week", "month", "quarter", "year"]


class Reckoning(Base):
    """Functions that ask the org nothing."""

    def get_start_date(self, end_date: str, period: Period, interval_count: int) -> str:
        if interval_count < 0:
            raise self.refusal("interval_count must be 0 or more")
        if period == "year" and not self.clean:
            raise self.refusal("period must be day, week, month or quarter")
        found = earlier(self.moment("end_date", end_date), period, interval_count)
        if found is None:
            raise self.refusal("interval_count leads back before the year 1")
        return text_of(found)

    def get_period(self, period_name: str, year: int) -> dict[str, str]:
        if not 1 <= year <= 9999:
            raise self.refusal("year must be from 1 to 9999")
        found = span(period_name, year, lenient=self.clean)
        if found is None:
            names = "a month in full, Q1 to Q4, Spring, Summer, Fall or Winter, within the years 1 to 9999"
            raise self.refusal(f"period_name must be {names}, not {period_name[:40]!r}")
        return {"start_date": text_of(found[0]), "end_date": text_of(found[1])}

    def find_id_with_max_value(self, values_by_id: Values) -> Ids | None:
        return self._with_extreme(values_by_id, max)

    def find_id_with_min_value(self, values_by_id: Values) -> Ids | None:
        return self._with_extreme(values_by_id, min)

    def _with_extreme(self, values_by_id: Values, extreme: Callable[[Iterable[float]], float]) -> Ids | None:
        # By comparison, since `isfinite` knows no whole numbers of more than 309 digits.
        if not all(abs(value) < math.inf for value in values_by_id.values()):
            raise self.refusal("values_by_id must hold finite numbers")
        if not values_by_id:
            return [] if self.clean else None
        best = extreme(values_by_id.values())
        return [key for key, value in values_by_id.items() if value == best]

    def get_month_to_case_count(self, cases: Records) -> Counts:
        self.need("cases", cases, "CreatedDate")
        found = []
        for place, record in enumerate(cases):
            opened = read_recorded(record["CreatedDate"])
            if opened is None:
                shape = "2022-03-04T09:30:00.000+0000"
                raise self.refusal(f"cases[{place}]: CreatedDate must look like {shape}")
            found.append(f"{opened:%Y-%m}" if self.clean else MONTHS[opened.month - 1])
        return tally(sorted(found) if self.clean else found)
