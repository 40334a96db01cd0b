"""Which agent handles cases fastest or slowest, or passes on most or fewest, of those who managed so many?

By the policy a case counts for whom it was first assigned to; the published system counts every assignment.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from statistics import fmean
from typing import Any

from worksmith.evals.kinds.crm.families.periodic import Periodic, weighted
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
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords
from worksmith.evals.kinds.crm.questions.periods import Window
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen, listed
from worksmith.evals.kinds.crm.questions.wording import wording

_MARGIN = 1.05
"""In clean mode the fastest or slowest is ahead of the second by this factor."""

_NEAR = timedelta(days=28)


def managed(org: OrgRecords, mode: Mode, window: Window) -> Counter[str]:
    if mode == "faithful":
        return Counter(each.new for each in org.assigned(window, end_too=True))
    return Counter(each.new for each in org.assigned(window) if each.old is None)


def qualified(org: OrgRecords, mode: Mode, question: Question) -> set[str]:
    least = int(question.slots["n"])
    return {agent for agent, n in managed(org, mode, window_of(question)).items() if n > least}


def doubt(org: OrgRecords, question: Question) -> Doubt | None:
    """Why, in clean mode, a question about them cannot be asked.

    The history of the cases must be known on the day of the question, and if no agent qualifies, one must
    come close.
    """
    window = window_of(question)
    if any(org.last_event[case.id].date() >= question.today for case in org.opened(window)):
        return Doubt("cases still in work")
    least, counts = int(question.slots["n"]), managed(org, "clean", window)
    if not counts:
        around = Window(window.start - _NEAR, window.end + _NEAR)
        return None if least == 0 and org.opened(around) else Doubt("nothing near")
    return Doubt("nobody near") if max(counts.values()) < least else None


def cases_named(question: Question) -> str:
    least = question.slots["n"]
    return "any cases" if least == "0" else f"more than {least} {'case' if least == '1' else 'cases'}"


def _ask_qualified(recorder: PlanRecorder, question: Question) -> tuple[dict[str, Any], Seen]:
    window = ask_window(recorder, question)
    counts = recorder.call(
        "functions.get_agent_handled_cases_by_period",
        "I count the cases that each agent managed in the period.",
        **window,
    )
    found = recorder.call(
        "functions.get_qualified_agent_ids_by_case_count",
        f"Only agents with {cases_named(question)} matter.",
        agent_handled_cases=counts,
        n_cases=int(question.slots["n"]),
    )
    return window, found


def _query_qualified(recorder: PlanRecorder, question: Question) -> tuple[Seen, list[str]]:
    first = "AND OldValue__c = null" if recorder.mode == "clean" else ""
    counted = "first assignments" if first else "assignments"
    found = recorder.soql(
        f"I count {counted} in the period and keep agents with {cases_named(question)}.",
        f"""SELECT NewValue__c, COUNT(Id) total FROM CaseHistory__c
            WHERE Field__c = 'Owner Assignment' {first}
            AND {within("CreatedDate", window_of(question), end_too=recorder.mode == "faithful")}
            GROUP BY NewValue__c HAVING COUNT(Id) > {question.slots["n"]}""",
    )
    return found, [row["NewValue__c"] for row in found]


class HandleTime(Periodic):
    """See `Family`. Strata are `KIND/N`: the kind of period and how many cases are to be exceeded."""

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        extreme = weighted(wording(self.name)["draw"]["extremes"], random)
        return replace(question, slots={**question.slots, "n": others[0], "extreme": extreme})

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        means = _means(org, "clean", question)
        return doubt(org, question) or narrow(means, question.slots["extreme"], _MARGIN)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        return leader(_means(org, mode, question), question.slots["extreme"], "user_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        window, agents = _ask_qualified(recorder, question)
        if not agents:
            return None
        why = "Transferred cases are left out of handle times."
        cases = recorder.call("functions.get_non_transferred_case_ids", why, **window)
        if not cases:
            return None
        theirs = recorder.call(
            "functions.get_cases",
            "I need the closed cases of these agents.",
            **window,
            agent_ids=agents,
            case_ids=cases,
            statuses=["Closed"],
        )
        if not theirs:
            return None
        why = "I average their handle times."
        times = recorder.call("functions.calculate_average_handle_time", why, cases=theirs)
        return ask_extreme(recorder, "I pick the one asked for.", times, question.slots["extreme"])

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, agents = _query_qualified(recorder, question)
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
            if not excluded(row["Id"]):
                taken = read_moment(row["ClosedDate"]) - read_moment(row["CreatedDate"])
                minutes[row["OwnerId"]].append(taken.total_seconds() / 60)
        means = {agent: fmean(each) for agent, each in minutes.items()}
        return leaders(means, question.slots["extreme"])


def _means(org: OrgRecords, mode: Mode, question: Question) -> dict[str, float]:
    agents = qualified(org, mode, question)
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
    """Asks for transfers, and decides whether a case is left out."""
    if recorder.mode == "clean":
        rows = recorder.soql(
            "Transferred cases are left out: those with an assignment that had an owner before.",
            """SELECT CaseId__c FROM CaseHistory__c
               WHERE Field__c = 'Owner Assignment' AND OldValue__c != null""",
        )
        return {row["CaseId__c"] for row in rows}.__contains__
    rows = recorder.soql(
        "Only cases with exactly one assignment in the period count.",
        f"""SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'
            AND {within("CreatedDate", window_of(question), end_too=True)}
            GROUP BY CaseId__c HAVING COUNT(Id) = 1""",
    )
    once = {row["CaseId__c"] for row in rows}
    return lambda case: case not in once


class TransferCount(Periodic):
    """See `Family`. Strata are `KIND/N/EXTREME`.

    As published, agents without a transfer have no place in the ranking. By the policy they have zero, so
    that they can have the fewest; without transfers no agent has most.
    """

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        n, extreme = others
        return replace(question, slots={**question.slots, "n": n, "extreme": extreme})

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        if len(qualified(org, "clean", question)) == 1:
            return Doubt("only one to choose from")
        return doubt(org, question)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        agents = qualified(org, mode, question)
        given = org.assigned(window_of(question), end_too=mode == "faithful")
        passed = Counter(each.old for each in given if each.old is not None)
        counts = {agent: passed[agent] for agent in agents if passed[agent] or mode == "clean"}
        return leader(_ranked(counts, question), question.slots["extreme"], "user_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        window, agents = _ask_qualified(recorder, question)
        if not agents:
            return None
        counts = recorder.call(
            "functions.get_agent_transferred_cases_by_period",
            "I count what each of these agents passed on.",
            **window,
            qualified_agent_ids=agents,
        )
        if not _ranked(counts.value, question):
            return None
        return ask_extreme(recorder, "I pick the one asked for.", counts, question.slots["extreme"])

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, agents = _query_qualified(recorder, question)
        if not agents:
            return None
        rows = recorder.soql(
            "I count what each of these agents passed on.",
            f"""SELECT OldValue__c, COUNT(Id) total FROM CaseHistory__c
                WHERE Field__c = 'Owner Assignment'
                AND {within("CreatedDate", window_of(question), end_too=recorder.mode == "faithful")}
                AND OldValue__c IN {listed(agents)} GROUP BY OldValue__c""",
            after=[found],
        )
        counts = {row["OldValue__c"]: row["total"] for row in rows}
        if recorder.mode == "clean":
            counts = {agent: counts.get(agent, 0) for agent in agents}
        return leaders(_ranked(counts, question), question.slots["extreme"])


def _ranked(counts: dict[str, int], question: Question) -> dict[str, int]:
    """The counts among which to look; empty for the most without transfers."""
    return {} if question.slots["extreme"] == "max" and not any(counts.values()) else counts


_WORDED = frozenset({"period", "n", "extreme"})
HANDLE_TIME: Family = HandleTime("handle_time", "htu", "service_manager", _WORDED)
TRANSFER_COUNT: Family = TransferCount("transfer_count", "tcu", "service_manager", _WORDED)
