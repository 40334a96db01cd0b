"""The families of questions, in the order in which the paper names them."""

from __future__ import annotations

from worksmith.evals.kinds.crm.families import (
    agents,
    best_region_identification,
    case_routing,
    knowledge_qa,
    named_entity_disambiguation,
    policy_violation_identification,
    products,
)
from worksmith.evals.kinds.crm.questions.family import Family
from worksmith.evals.tasks.task import Split

FAMILIES: tuple[Family, ...] = (
    case_routing.FAMILY,
    agents.HANDLE_TIME,
    agents.TRANSFER_COUNT,
    named_entity_disambiguation.FAMILY,
    policy_violation_identification.FAMILY,
    knowledge_qa.FAMILY,
    products.TOP_ISSUE,
    products.MONTHLY_TREND,
    best_region_identification.FAMILY,
)

_HELD_OUT: dict[str, Split] = {
    "transfer_count": "test",
    "named_entity_disambiguation": "test",
    "best_region_identification": "test",
    "knowledge_qa": "dev",
}
"""When whole families are held out, one of each role is for testing; what is not here is for training."""


def held_out_split(family: str) -> Split:
    return _HELD_OUT.get(family, "train")
