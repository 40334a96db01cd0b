"""What do most cases about a product complain of?"""

from __future__ import annotations

from collections import Counter

from worksmith.evals.kinds.crm.families.products import (
    AboutProduct,
    ask_items,
    cases_of,
    far_from_any_case,
    query_items,
)
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

_NAME = "top_issue_identification"
_FEWEST = 2
"""So many cases the top issue has in clean mode."""


class TopIssue(AboutProduct):
    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        counts = Counter(case.issue for case in cases_of(org, question))
        if counts and max(counts.values()) < _FEWEST:
            return Doubt("too few cases")
        return far_from_any_case(org, question)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        counts = Counter(case.issue for case in cases_of(org, question, end_too=mode == "faithful"))
        return leader(counts, "max", "issue_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        bounds, items = ask_window(recorder, question), ask_items(recorder, question)
        if not items:
            return None
        counts = recorder.call(
            "functions.get_issue_counts",
            "I count their cases in the period by issue.",
            start_date=bounds.start,
            end_date=bounds.end,
            order_item_ids=items,
        )
        if not counts:
            return None
        return ask_extreme(recorder, "I pick the issue with most cases.", counts, "max")

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, items = query_items(recorder, question)
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


FAMILY: Family = TopIssue(_NAME, "tii", "service_analyst", frozenset({"period", "product_name"}))
