"""In which state are cases closed fastest?"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

from worksmith.evals.kinds.crm.families.periodic import Periodic
from worksmith.evals.kinds.crm.families.steps import (
    ask_extreme,
    ask_window,
    leader,
    leaders,
    narrow,
    read_moment,
    window_of,
    within,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder

_NAME = "best_region_identification"
_FEWEST, _MARGIN = 3, 1.05
"""By the policy of clean mode a state counts from three closed cases; the first is ahead by this factor."""


class BestRegion(Periodic):
    """See `Family`. Strata are kinds of periods.

    As published, a single case makes a state the best, and there always is an answer.
    """

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        """See `Periodic`: on the day of the question the closed cases must be known."""
        cases = org.opened(window_of(question))
        if any(case.closed and case.closed.date() >= question.today for case in cases):
            return Doubt("cases still in work")
        minutes = _minutes(org, question)
        if max(map(len, minutes.values()), default=0) < _FEWEST - 1:
            return Doubt("nothing near")
        return narrow(_means(minutes, _FEWEST), "min", _MARGIN)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        fewest = _FEWEST if mode == "clean" else 1
        return leader(_means(_minutes(org, question), fewest), "min", "state")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        window = ask_window(recorder, question)
        cases = recorder.call(
            "functions.get_cases",
            "I need the closed cases of the period.",
            **window,
            statuses=["Closed"],
        )
        if not cases:
            return None
        why = "I look up the states of their customers."
        placed = recorder.call("functions.get_shipping_state", why, cases=cases)
        why = "I average the closing times by state."
        times = recorder.call("functions.calculate_region_average_closure_times", why, cases=placed)
        if not times:
            return None
        return ask_extreme(recorder, "I pick the state with the shortest.", times, "min")

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        rows = recorder.soql(
            "I need the closed cases of the period with their times and the states of their customers.",
            f"""SELECT Account.ShippingState, CreatedDate, ClosedDate FROM Case
                WHERE Status = 'Closed' AND {within("CreatedDate", window_of(question))}""",
        )
        times: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            taken = read_moment(row["ClosedDate"]) - read_moment(row["CreatedDate"])
            times[row["Account"]["ShippingState"]].append(taken.total_seconds())
        fewest = _FEWEST if recorder.mode == "clean" else 1
        return leaders(_means(times, fewest), "min")


def _minutes(org: OrgRecords, question: Question) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for case in org.opened(window_of(question)):
        if case.closed is not None:
            found[org.states[case.account]].append(case.minutes)
    return found


def _means(times: dict[str, list[float]], fewest: int) -> dict[str, float]:
    return {state: fmean(each) for state, each in times.items() if len(each) >= fewest}


FAMILY: Family = BestRegion(_NAME, "bri", "service_analyst", frozenset({"period"}))
