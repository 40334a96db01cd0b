"""Which agent handles cases fastest or slowest, of those who managed more than so many?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

from evals.kinds.crm.families import managed
from evals.kinds.crm.families.periodic import Periodic, weighted
from evals.kinds.crm.families.steps import (
    ask_extreme,
    leader,
    leaders,
    narrow,
    read_moment,
    window_of,
    within,
)
from evals.kinds.crm.questions.books import Books, Case
from evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from evals.kinds.crm.questions.script import Script, listed
from evals.kinds.crm.questions.wording import wording

_NAME = "handle_time"
_MARGIN = 1.05
"""In clean mode the first is ahead of the second by this factor."""


class HandleTime(Periodic):
    """See `Family`. Strata are `KIND/N`: the kind of period and how many cases are to be exceeded."""

    def drawn(
        self, books: Books, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        extreme = weighted(wording(_NAME)["draw"]["extremes"], random)
        return replace(question, slots={**question.slots, "n": others[0], "extreme": extreme})

    def doubt(self, books: Books, question: Question) -> Doubt | None:
        means = _means(books, "clean", question)
        return managed.doubt(books, question) or narrow(means, question.slots["extreme"], _MARGIN)

    def truth(self, books: Books, mode: Mode, question: Question) -> Truth:
        return leader(_means(books, mode, question), question.slots["extreme"], "user_id")

    def solve(self, script: Script, question: Question) -> Values:
        bounds, agents = managed.ask_qualified(script, question)
        if not agents:
            return None
        cases = script.call(
            "functions.get_non_transferred_case_ids",
            "Transferred cases are left out of handle times.",
            start_date=bounds.start,
            end_date=bounds.end,
        )
        if not cases:
            return None
        theirs = script.call(
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
        times = script.call(
            "functions.calculate_average_handle_time", "I average their handle times.", cases=theirs
        )
        return ask_extreme(script, "I pick the one asked for.", times, question.slots["extreme"])

    def solve_by_queries(self, script: Script, question: Question) -> Values:
        found, agents = managed.query_qualified(script, question)
        if not agents:
            return None
        excluded = _query_transferred(script, question)
        cases = script.soql(
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


def _means(books: Books, mode: Mode, question: Question) -> dict[str, float]:
    agents = managed.qualified(books, mode, question)
    minutes: dict[str, list[float]] = defaultdict(list)
    for case in _untransferred(books, mode, question):
        if case.closed is not None and case.owner in agents:
            minutes[case.owner].append(case.minutes)
    return {agent: fmean(each) for agent, each in minutes.items()}


def _untransferred(books: Books, mode: Mode, question: Question) -> Sequence[Case]:
    """The cases opened in the period that were assigned once: ever, or as published within the period."""
    window = window_of(question)
    if mode == "clean":
        return [case for case in books.opened(window) if len(books.assignments_of[case.id]) == 1]
    times = Counter(each.case for each in books.assigned(window, end_too=True))
    return [case for case in books.opened(window) if times[case.id] == 1]


def _query_transferred(script: Script, question: Question) -> Callable[[str], bool]:
    """Asks for transfers, and says of a case whether it has to be left out."""
    if script.mode == "clean":
        rows = script.soql(
            "Transferred cases are left out: those with an assignment that had an owner before.",
            """SELECT CaseId__c FROM CaseHistory__c
               WHERE Field__c = 'Owner Assignment' AND OldValue__c != null""",
        )
        moved = {row["CaseId__c"] for row in rows}
        return lambda case: case in moved
    rows = script.soql(
        "Only cases with exactly one assignment in the period count.",
        f"""SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'
            AND {within("CreatedDate", window_of(question), end_too=True)}
            GROUP BY CaseId__c HAVING COUNT(Id) = 1""",
    )
    once = {row["CaseId__c"] for row in rows}
    return lambda case: case not in once


FAMILY: Family = HandleTime(_NAME, "htu", "service_manager", frozenset({"period", "n", "extreme"}))
