"""In which month did cases about a product stand out?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from worksmith.evals.kinds.crm.families.products import AboutProduct, ask_items, cases_of, query_items
from worksmith.evals.kinds.crm.families.steps import (
    ask_extreme,
    ask_window,
    leader,
    leaders,
    window_of,
    within,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, listed
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.functions.moments import MONTHS

_NAME = "monthly_trend_analysis"
_FEWEST, _TIMES = 2, 1.5
"""By the policy of clean mode a month stands out with so many cases, so many times those of any other."""


class MonthlyTrend(AboutProduct):
    """See `Family`.

    As published, any month ahead of all others will do, the same months of different years are one, and there
    always is an answer.
    """

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        return Doubt("too few cases") if len(cases_of(org, question)) < _FEWEST else None

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        days = [case.created for case in cases_of(org, question)]
        if mode == "faithful":
            return leader(Counter(MONTHS[day.month - 1] for day in days), "max", "month")
        top = Counter((day.year, day.month) for day in days).most_common(2)
        if not top or top[0][1] < _FEWEST or (len(top) > 1 and top[0][1] < _TIMES * top[1][1]):
            return None
        year, month = top[0][0]
        alias = (f"{MONTHS[month - 1]} {year}",)
        return (Entity(type="month", value=f"{year:04}-{month:02}", alias=alias),)

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        bounds, items = ask_window(recorder, question), ask_items(recorder, question)
        if not items:
            return None
        cases = recorder.call(
            "functions.get_cases",
            "I need the cases about them in the period.",
            start_date=bounds.start,
            end_date=bounds.end,
            order_item_ids=items,
        )
        if not cases:
            return None
        counts = recorder.call("functions.get_month_to_case_count", "I count them by month.", cases=cases)
        if recorder.mode == "clean" and not _stands_out(counts.value):
            return None
        return ask_extreme(recorder, "I pick the month with most cases.", counts, "max")

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, items = query_items(recorder, question)
        if not items:
            return None
        year = "CALENDAR_YEAR(CreatedDate)"
        more, group = (f"{year} year,", f"{year},") if recorder.mode == "clean" else ("", "")
        rows = recorder.soql(
            "I count their cases in the period by month.",
            f"""SELECT {more} CALENDAR_MONTH(CreatedDate) month, COUNT(Id) total FROM Case
                WHERE OrderItemId__c IN {listed(items)} AND {within("CreatedDate", window_of(question))}
                GROUP BY {group} CALENDAR_MONTH(CreatedDate)""",
            after=[found],
        )
        if recorder.mode == "faithful":
            return leaders({MONTHS[row["month"] - 1]: row["total"] for row in rows}, "max")
        counts = {f"{row['year']:04}-{row['month']:02}": row["total"] for row in rows}
        return leaders(counts, "max") if _stands_out(counts) else None


def _stands_out(counts: Mapping[str, int]) -> bool:
    """Whether, by the policy, the month with most cases has enough, and enough more than any other."""
    order = sorted(counts.values(), reverse=True)
    return bool(order) and order[0] >= _FEWEST and (len(order) == 1 or order[0] >= _TIMES * order[1])


FAMILY: Family = MonthlyTrend(_NAME, "mta", "service_analyst", frozenset({"period", "product_name"}))
