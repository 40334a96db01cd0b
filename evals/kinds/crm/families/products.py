"""Questions about a product and a period: how they are drawn, and how its order items are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

from worksmith.evals.kinds.crm.families.periodic import Periodic
from worksmith.evals.kinds.crm.families.steps import window_of
from worksmith.evals.kinds.crm.questions.family import Doubt, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords
from worksmith.evals.kinds.crm.questions.periods import QUARTERS, SEASONS, Window
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen
from worksmith.tools.kinds.crm.functions.moments import MONTHS

_NEAR = timedelta(days=120)
_INSIDE = 0.7
"""Share of the products that are drawn among those with a case in the period; others have one near it."""

_NAME = re.compile(r"\b[A-Z][\w'&.-]*(?: [A-Z0-9][\w'&.-]*)+")
_NO_NAMES = frozenset((*MONTHS, *QUARTERS, *SEASONS, "Autumn"))


class AboutProduct(Periodic):
    """The part of a `Family` that is about a product in a period. Strata are kinds of periods."""

    def drawn(
        self, org: OrgRecords, mode: Mode, question: Question, others: Sequence[str], random: Random
    ) -> Question:
        window = window_of(question)
        inside = org.opened(window)
        if not inside or random.random() > _INSIDE:
            inside = org.opened(Window(window.start - _NEAR, window.end + _NEAR)) or org.cases
        product = org.purchase[random.choice(inside).item].product
        slots = {**question.slots, "product": product, "product_name": org.products[product]}
        return replace(question, slots=slots, shown={"Product Id": product})

    def given(self, question: Question) -> dict[str, str]:
        return {"product": question.slots["product_name"]}

    def parse(self, text: str) -> Mapping[str, str] | None:
        return self.read(text, product_name=_read_product(text))


def cases_of(org: OrgRecords, question: Question, *, end_too: bool = False) -> list[Case]:
    """The cases about the question's product that were opened in its period."""
    product = question.slots["product"]
    return [
        case
        for case in org.opened(window_of(question), end_too=end_too)
        if org.purchase[case.item].product == product
    ]


def far_from_any_case(org: OrgRecords, question: Question) -> Doubt | None:
    """Why, in clean mode, a question cannot be asked: nothing about the product happened near the period."""
    window = window_of(question)
    near = Window(window.start - _NEAR, window.end + _NEAR)
    if cases_of(org, question):
        return None
    cases = org.product_cases.get(question.slots["product"], [])
    return None if any(near.start <= case.created < near.end for case in cases) else Doubt("nothing near")


def ask_items(recorder: PlanRecorder, question: Question) -> Seen:
    return recorder.call(
        "functions.get_order_item_ids_by_product",
        "Cases know the order item that they are about, so I need those of the product.",
        product_id=question.slots["product"],
    )


def query_items(recorder: PlanRecorder, question: Question) -> tuple[Seen, Sequence[str]]:
    found = recorder.soql(
        "Cases know the order item that they are about, so I need those of the product.",
        f"SELECT Id FROM OrderItem WHERE Product2Id = '{question.slots['product']}'",
    )
    return found, [row["Id"] for row in found]


def _read_product(text: str) -> str | None:
    """The only product that a wording names: some words with capitals that are no month or season."""
    found = {name for name in _NAME.findall(text) if not _NO_NAMES & set(name.split())}
    return found.pop() if len(found) == 1 else None
