"""Which agent passed on most or fewest cases, of those who managed more than so many?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from worksmith.evals.kinds.crm.families import managed
from worksmith.evals.kinds.crm.families.periodic import Periodic
from worksmith.evals.kinds.crm.families.steps import ask_extreme, leader, leaders, window_of, within
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, listed

_NAME = "transfer_count"


class TransferCount(Periodic):
    """See `Family`. Strata are `KIND/N/EXTREME`.

    As published, agents without a transfer have no place in the ranking. By the policy they have zero, so
    that they can have the fewest; where nobody passed anything on, nobody has most.
    """

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        n, extreme = others
        return replace(question, slots={**question.slots, "n": n, "extreme": extreme})

    def doubt(self, org: OrgRecords, question: Question) -> Doubt | None:
        if len(managed.qualified(org, "clean", question)) == 1:
            return Doubt("only one to choose from")
        return managed.doubt(org, question)

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        agents = managed.qualified(org, mode, question)
        given = org.assigned(window_of(question), end_too=mode == "faithful")
        passed = Counter(each.old for each in given if each.old is not None)
        counts = {agent: passed[agent] for agent in agents if passed[agent] or mode == "clean"}
        return leader(_ranked(counts, question), question.slots["extreme"], "user_id")

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        bounds, agents = managed.ask_qualified(recorder, question)
        if not agents:
            return None
        counts = recorder.call(
            "functions.get_agent_transferred_cases_by_period",
            "I count what each of these agents passed on.",
            start_date=bounds.start,
            end_date=bounds.end,
            qualified_agent_ids=agents,
        )
        if not _ranked(counts.value, question):
            return None
        return ask_extreme(recorder, "I pick the one asked for.", counts, question.slots["extreme"])

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        found, agents = managed.query_qualified(recorder, question)
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
    """The counts among which to look; none where most is asked for and nobody passed anything on."""
    return {} if question.slots["extreme"] == "max" and not any(counts.values()) else counts


FAMILY: Family = TransferCount(_NAME, "tcu", "service_manager", frozenset({"period", "n", "extreme"}))
