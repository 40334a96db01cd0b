"""In which month did cases about a product stand out, and what do most of them complain of?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

from worksmith.evals.kinds.crm.families.periodic import Periodic
from worksmith.evals.kinds.crm.families.steps import (
    ask_extreme,
    ask_window,
    leader,
    leaders,
    window_of,
    within,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords
from worksmith.evals.kinds.crm.questions.periods import Window
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen, listed
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.moments import MONTHS

_NEAR = timedelta(days=120)
_INSIDE = 0.7
"""Share of the products that are drawn among those with a case in the period; others have one near it."""

_FEWEST, _TIMES = 2, 1.5
"""In clean mode the top issue has so many cases; and so many has a month that stands out, so many times those
of any other."""

_WHY_ITEMS = "Cases know the order item that they are about, so I need those of the product."


class AboutProduct(Periodic):
    """The part of a `Family` that is about a product in a period. Strata are kinds of periods."""

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        inside = org.opened(window_of(question))
        if not inside or random.random() > _INSIDE:
            inside = org.opened(_around(question)) or org.cases
        product = org.purchase[random.choice(inside).item].product
        slots = {**question.slots, "product": product, "product_name": org.products[product]}
        return replace(question, slots=slots, shown={"Product Id": product})

    def given(self, question: Question) -> dict[str, str]:
        return {"product": question.slots["product_name"]}


def _around(question: Question) -> Window:
    window = window_of(question)
    return Window(window.start - _NEAR, window.end + _NEAR)


def _cases_of(org: OrgRecords, question: Question, *, end_too: bool = False) -> list[Case]:
    """The cases about the question's product that were opened in its period."""
    cases = org.opened(window_of(question), end_too=end_too)
    return [case for case in cases if org.purchase[case.item].product == question.slots["product"]]


def _ask_items(recorder: PlanRecorder, question: Question) -> Seen:
    product = question.slots["product"]
    return recorder.call("functions.get_order_item_ids_by_product", _WHY_ITEMS, product_id=product)


def _query_items(recorder: PlanRecorder, question: Question) -> tuple[Seen, Sequence[str]]:
    query = f"SELECT Id FROM OrderItem WHERE Product2Id = '{question.slots['product']}'"
    found = recorder.soql(_WHY_ITEMS, query)
    return found, [row["Id"] for row in found]


class MonthlyTrend(AboutProduct):
    """See `Family`.

    As published, any month ahead of all others will do, the same months of different years are one, and there
    always is an answer.
    """

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        return Doubt("too few cases") if len(_cases_of(org, question)) < _FEWEST else None

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        days = [case.created for case in _cases_of(org, question)]
        if mode == "faithful":
            return leader(Counter(MONTHS[day.month - 1] for day in days), "max", "month")
        top = Counter((day.year, day.month) for day in days).most_common(2)
        if not top or top[0][1] < _FEWEST or (len(top) > 1 and top[0][1] < _TIMES * top[1][1]):
            return None
        year, month = top[0][0]
        alias = (f"{MONTHS[month - 1]} {year}",)
        return (Entity(type="month", value=f"{year:04}-{month:02}", alias=alias),)

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        window, items = ask_window(recorder, question), _ask_items(recorder, question)
        if not items:
            return None
        why = "I need the cases about them in the period."
        cases = recorder.call("functions.get_cases", why, **window, order_item_ids=items)
        if not cases:
            return None
        counts = recorder.call("functions.get_month_to_case_count", "I count them by month.", cases=cases)
        if recorder.mode == "clean" and not _stands_out(counts.value):
            return None
        return ask_extreme(recorder, "I pick the month with most cases.", counts, "max")

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, items = _query_items(recorder, question)
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


class TopIssue(AboutProduct):
    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        counts = Counter(case.issue for case in _cases_of(org, question))
        if counts:
            return Doubt("too few cases") if max(counts.values()) < _FEWEST else None
        near = _around(question)
        cases = org.product_cases.get(question.slots["product"], [])
        return None if any(near.start <= case.created < near.end for case in cases) else Doubt("nothing near")

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        counts = Counter(case.issue for case in _cases_of(org, question, end_too=mode == "faithful"))
        return leader(counts, "max", "issue_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        window, items = ask_window(recorder, question), _ask_items(recorder, question)
        if not items:
            return None
        why = "I count their cases in the period by issue."
        counts = recorder.call("functions.get_issue_counts", why, **window, order_item_ids=items)
        if not counts:
            return None
        return ask_extreme(recorder, "I pick the issue with most cases.", counts, "max")

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, items = _query_items(recorder, question)
        if not items:
            return None
        counts = recorder.soql(
            "I count their cases in the period by issue.",
            f"""SELECT IssueId__c, COUNT(Id) total FROM Case WHERE OrderItemId__c IN {listed(items)}
                AND {within("CreatedDate", window_of(question), end_too=recorder.mode == "faithful")}
                GROUP BY IssueId__c ORDER BY COUNT(Id) DESC""",
            after=[found],
        )
        return leaders({row["IssueId__c"]: row["total"] for row in counts}, "max")


_WORDED = frozenset({"period", "product_name"})
MONTHLY_TREND: Family = MonthlyTrend("monthly_trend_analysis", "mta", "service_analyst", _WORDED)
TOP_ISSUE: Family = TopIssue("top_issue_identification", "tii", "service_analyst", _WORDED)
