"""Who should get a new case, given how it is worded?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random
from typing import Any

from worksmith.evals.kinds.crm.families.routing import best_agent, issue_names, telling_products, unclear
from worksmith.evals.kinds.crm.families.steps import written
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen, listed
from worksmith.evals.kinds.crm.questions.wording import phrased
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.generate.dialogue import describe
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.wording import texts

_NAME = "case_routing"
_PROBLEM = "problem_"
_WARM_UP = timedelta(days=60)
_RELEVANT = 0.6
"""Share of the new cases that are about a product of which an expert for the issue has closed a case."""

_AGAIN = 5.0
"""The draws of an agent for an issue before that becomes rare, so that no agent answers most of them."""

_DAYS_TOLD, _MOST_DAYS = 0.5, 12
_NOT_CLOSED = ("New", "Working", "Waiting on Customer", "Escalated")


class CaseRouting(Family):
    """See `Family`. Strata are the issues, by their keys; which it is only the description tells."""

    def nones(self, mode: Mode) -> float:
        return 0.0

    def strata(self, mode: Mode) -> Mapping[str, float]:
        return dict.fromkeys(issue_names(), 1.0)

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        names = sorted(set(org.products.values()))
        drawn: Counter[str] = Counter()
        days = (org.snapshot - org.first_day - _WARM_UP).days
        while True:
            today = org.first_day + _WARM_UP + timedelta(days=random.randint(0, days))
            slots = {"issue": stratum, "product": random.choice(names)}
            if mode == "clean":
                slots["today"] = today.isoformat()
            question = Question(slots, today, None, stratum)
            known = telling_products(org, mode, question)
            if known and random.random() < _RELEVANT:
                question = replace(question, slots={**slots, "product": random.choice(known)})
            agent = unclear(org, mode, question) or best_agent(org, mode, question)
            if isinstance(agent, Doubt):
                yield agent
            elif len(drawn) > 1 and random.random() * drawn[agent] > _AGAIN:
                yield Doubt("this agent was drawn often")
            else:
                drawn[agent] += 1
                yield replace(question, answer=_answer(agent))

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        found = best_agent(org, mode, question)
        return found if isinstance(found, Doubt) else _answer(found)

    def phrase(self, question: Question, random: Random) -> str:
        policies = {policy["key"]: policy for policy in texts("policies")["policies"]}
        least = max(1, policies[question.slots["issue"]].get("after", 0))
        day = question.today - timedelta(days=random.randint(least, least + _MOST_DAYS))
        subject, description = describe(
            self.industry,
            random,
            question.slots["issue"],
            question.slots["product"],
            day.isoformat() if random.random() < _DAYS_TOLD else None,
        )
        return phrased(_NAME, {}, random, subject=subject, description=description)

    def parse(self, text: str) -> Mapping[str, str] | None:
        issues = {said.kind for said in self.industry.conversations.within(text, _PROBLEM)}
        products = set(_product_names(self.industry).findall(text))
        if len(issues) != 1 or len(products) != 1:
            return None
        return {"issue": issues.pop().removeprefix(_PROBLEM), "product": products.pop()}

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        until: dict[str, Any] = {"end_date": written(question.today)} if "today" in question.slots else {}
        issues = recorder.call("functions.get_issues", "I need the issue that the description is about.")
        name = issue_names()[question.slots["issue"]]
        closed = recorder.call(
            "functions.get_cases",
            f"The description is about {name}; these are the closed cases of that issue.",
            issue_ids=[next(each["Id"] for each in issues if each["Name"] == name)],
            statuses=["Closed"],
            after=[issues],
            **until,
        )
        best = _most(recorder, "Who closed most of them.", closed)
        if len(best) == 1:
            return (best[0].value,)
        products = recorder.call(
            "functions.search_products",
            "Several agents are equal, so the product decides.",
            search_term=question.slots["product"],
            after=[best],
        )
        items = recorder.call(
            "functions.get_order_item_ids_by_product",
            "Cases refer to order items of the product.",
            product_id=_product_of(products, question),
            after=[products],
        )
        about = recorder.call(
            "functions.get_cases",
            "The closed cases of these agents about the product.",
            agent_ids=best,
            order_item_ids=items,
            statuses=["Closed"],
            **until,
        )
        if about:
            best = _most(recorder, "Who closed most of them.", about)
        if len(best) == 1:
            return (best[0].value,)
        waiting = recorder.call(
            "functions.get_cases",
            "Still equal, so I look for the one with fewest cases that are not closed.",
            agent_ids=best,
            statuses=list(_NOT_CLOSED),
            **until,
        )
        busy = Counter(case["OwnerId"] for case in waiting)
        idle = [agent for agent in best if not busy[agent]]
        if idle:
            return tuple(idle)
        least = recorder.call("functions.get_agents_with_min_cases", "Who has fewest.", subset_cases=waiting)
        return tuple(least)

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        midnight = written(question.today)
        until = f" AND ClosedDate < {midnight}" if "today" in question.slots else ""
        issues = recorder.soql(
            "I need the issue that the description is about.", "SELECT Id, Name FROM Issue__c"
        )
        name = issue_names()[question.slots["issue"]]
        issue = next(each["Id"] for each in issues if each["Name"] == name)
        count = "SELECT OwnerId, COUNT(Id) cases FROM Case WHERE"
        order = "GROUP BY OwnerId ORDER BY COUNT(Id) DESC"
        rows = recorder.soql(
            f"The description is about {name}; I count the closed cases of that issue by agent.",
            f"{count} IssueId__c = '{issue}' AND Status = 'Closed'{until} {order}",
            after=[issues],
        )
        best = _first(rows)
        if len(best) == 1:
            return best
        product = question.slots["product"]
        items = recorder.soql(
            "Several agents are equal, so the product decides; cases refer to its order items.",
            f"SELECT Id FROM OrderItem WHERE Product2.Name = '{product}'",
            after=[rows],
        )
        if items:
            ids = listed([each["Id"] for each in items])
            rows = recorder.soql(
                "The closed cases of these agents about the product.",
                f"""{count} OwnerId IN {listed(best)} AND OrderItemId__c IN {ids}
                    AND Status = 'Closed'{until} {order}""",
                after=[rows, items],
            )
            best = _first(rows) or best
        if len(best) == 1:
            return best
        rows = recorder.soql(
            "Still equal, so I look for the one with fewest cases that are not closed.",
            f"""{count} OwnerId IN {listed(best)} AND CreatedDate < {midnight}
                AND (ClosedDate = null OR ClosedDate >= {midnight}) {order}""",
            after=[rows],
        )
        waiting = {row["OwnerId"]: row["cases"] for row in rows}
        return tuple(
            agent for agent in best if waiting.get(agent, 0) == min(waiting.get(each, 0) for each in best)
        )


def _answer(agent: str) -> tuple[Entity, ...]:
    return (Entity(type="user_id", value=agent),)


@cache
def _product_names(industry: Industry) -> re.Pattern[str]:
    kinds = sorted(industry.shapes, key=len, reverse=True)
    return re.compile(
        rf"\b(?:{'|'.join(industry.data.lines.split())}) (?:{'|'.join(map(re.escape, kinds))})(?: \d+)?\b"
    )


def _most(recorder: PlanRecorder, why: str, cases: Seen) -> Seen:
    return recorder.call("functions.get_agents_with_max_cases", why, subset_cases=cases)


def _product_of(products: Seen, question: Question) -> str:
    """The product with the name that was searched for; the published search gives no names, only ids."""
    found = [each if isinstance(each, str) else each["Id"] for each in products]
    named = [
        each["Id"]
        for each in products
        if not isinstance(each, str) and each["Name"] == question.slots["product"]
    ]
    return str((named or found)[0])


def _first(rows: Seen) -> tuple[str, ...]:
    """The owners with the most cases, of rows in that order."""
    return tuple(row["OwnerId"] for row in rows if row["cases"] == rows[0]["cases"].value)


FAMILY: Family = CaseRouting(_NAME, "ncr", "service_manager", frozenset({"issue", "product"}))
