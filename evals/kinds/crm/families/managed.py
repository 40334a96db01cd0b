"""Agents who managed more than so many cases in a period: by the records, by functions, by queries.

By the policy a case counts for whom it was first assigned to; the published system counts every assignment.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from worksmith.evals.kinds.crm.families.steps import Bounds, ask_window, window_of, within
from worksmith.evals.kinds.crm.questions.family import Doubt, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.periods import Window
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen

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

    What happened to the cases has to be known on the day of the question, and where nobody qualifies somebody
    must come close.
    """
    window = window_of(question)
    if any(org.last_event[case.id].date() >= question.today for case in org.opened(window)):
        return Doubt("cases still in work")
    least, counts = int(question.slots["n"]), managed(org, "clean", window)
    if not counts:
        around = Window(window.start - _NEAR, window.end + _NEAR)
        return None if least == 0 and org.opened(around) else Doubt("nothing near")
    return Doubt("nobody near") if max(counts.values()) < least else None


def ask_qualified(recorder: PlanRecorder, question: Question) -> tuple[Bounds, Seen]:
    bounds = ask_window(recorder, question)
    counts = recorder.call(
        "functions.get_agent_handled_cases_by_period",
        "I count the cases that each agent managed in the period.",
        start_date=bounds.start,
        end_date=bounds.end,
    )
    found = recorder.call(
        "functions.get_qualified_agent_ids_by_case_count",
        f"Only agents with {cases_named(question)} matter.",
        agent_handled_cases=counts,
        n_cases=int(question.slots["n"]),
    )
    return bounds, found


def cases_named(question: Question) -> str:
    least = question.slots["n"]
    return "any cases" if least == "0" else f"more than {least} {'case' if least == '1' else 'cases'}"


def query_qualified(recorder: PlanRecorder, question: Question) -> tuple[Seen, list[str]]:
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
