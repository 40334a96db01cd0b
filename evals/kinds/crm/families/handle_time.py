"""Which agent handles cases fastest or slowest, of those who managed more than so many?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

from worksmith.evals.kinds.crm.families import managed
from worksmith.evals.kinds.crm.families.periodic import Periodic, weighted
from worksmith.evals.kinds.crm.families.steps import (
    ask_extreme,
    leader,
    leaders,
    narrow,
    read_moment,
    window_of,
    within,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, listed
from worksmith.evals.kinds.crm.questions.wording import wording

_NAME = "handle_time"
_MARGIN = 1.05
"""In clean mode the first is ahead of the second by this factor."""


class HandleTime(Periodic):
    """See `Family`. Strata are `KIND/N`: the kind of period and how many cases are to be exceeded."""

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        extreme = weighted(wording(_NAME)["draw"]["extremes"], random)
        return replace(question, slots={**question.slots, "n": others[0], "extreme": extreme})

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        means = _means(org, "clean", question)
        return managed.doubt(org, question) or narrow(means, question.slots["extreme"], _MARGIN)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        return leader(_means(org, mode, question), question.slots["extreme"], "user_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        bounds, agents = managed.ask_qualified(recorder, question)
        if not agents:
            return None
        cases = recorder.call(
            "functions.get_non_transferred_case_ids",
            "Transferred cases are left out of handle times.",
            start_date=bounds.start,
            end_date=bounds.end,
        )
        if not cases:
            return None
        theirs = recorder.call(
            "functions.get_cases",
            "I need the closed cases of these agents.",
            start_date=bounds.start,
            end_date=bounds.end,
            agent_ids=agents,
            case_ids=cases,
            statuses=["Closed"],
        )
        if not theirs:
            return None
        times = recorder.call(
            "functions.calculate_average_handle_time", "I average their handle times.", cases=theirs
        )
        return ask_extreme(recorder, "I pick the one asked for.", times, question.slots["extreme"])

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, agents = managed.query_qualified(recorder, question)
        if not agents:
            return None
        excluded = _query_transferred(recorder, question)
        cases = recorder.soql(
            "I need the closed cases of these agents with their times.",
            f"""SELECT Id, OwnerId, CreatedDate, ClosedDate FROM Case WHERE Status = 'Closed'
                AND {within("CreatedDate", window_of(question))} AND OwnerId IN {listed(agents)}""",
            after=[found],
        )
        minutes: dict[str, list[float]] = defaultdict(list)
        for row in cases:
            if excluded(row["Id"]):
                continue
            taken = read_moment(row["ClosedDate"]) - read_moment(row["CreatedDate"])
            minutes[row["OwnerId"]].append(taken.total_seconds() / 60)
        means = {agent: fmean(each) for agent, each in minutes.items()}
        return leaders(means, question.slots["extreme"])


def _means(org: OrgRecords, mode: Mode, question: Question) -> dict[str, float]:
    agents = managed.qualified(org, mode, question)
    minutes: dict[str, list[float]] = defaultdict(list)
    for case in _untransferred(org, mode, question):
        if case.closed is not None and case.owner in agents:
            minutes[case.owner].append(case.minutes)
    return {agent: fmean(each) for agent, each in minutes.items()}


def _untransferred(org: OrgRecords, mode: Mode, question: Question) -> Sequence[Case]:
    """The cases opened in the period that were assigned once: ever, or as published within the period."""
    window = window_of(question)
    if mode == "clean":
        return [case for case in org.opened(window) if len(org.assignments_of[case.id]) == 1]
    times = Counter(each.case for each in org.assigned(window, end_too=True))
    return [case for case in org.opened(window) if times[case.id] == 1]


def _query_transferred(recorder: PlanRecorder, question: Question) -> Callable[[str], bool]:
    """Asks for transfers, and says of a case whether it has to be left out."""
    if recorder.mode == "clean":
        rows = recorder.soql(
            "Transferred cases are left out: those with an assignment that had an owner before.",
            """SELECT CaseId__c FROM CaseHistory__c
               WHERE Field__c = 'Owner Assignment' AND OldValue__c != null""",
        )
        moved = {row["CaseId__c"] for row in rows}
        return lambda case: case in moved
    rows = recorder.soql(
        "Only cases with exactly one assignment in the period count.",
        f"""SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'
            AND {within("CreatedDate", window_of(question), end_too=True)}
            GROUP BY CaseId__c HAVING COUNT(Id) = 1""",
    )
    once = {row["CaseId__c"] for row in rows}
    return lambda case: case not in once


FAMILY: Family = HandleTime(_NAME, "htu", "service_manager", frozenset({"period", "n", "extreme"}))
