"""The families of questions, in the order in which the paper names them."""

from __future__ import annotations

import importlib
from functools import cache

from evals.kinds.crm.family import Family
from evals.tasks.task import Split

_NAMES = (
    "case_routing",
    "handle_time",
    "transfer_count",
    "named_entity_disambiguation",
    "policy_violation_identification",
    "knowledge_qa",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
)

_HELD_OUT: dict[str, Split] = {
    "transfer_count": "test",
    "named_entity_disambiguation": "test",
    "best_region_identification": "test",
    "knowledge_qa": "dev",
}
"""When whole families are held out, one of each role is for testing; what is not here is for training."""


def held_out_split(family: str) -> Split:
    """The split of a family when whole families are held out."""
    return _HELD_OUT.get(family, "train")


@cache
def families() -> tuple[Family, ...]:
    """All families."""
    return tuple(importlib.import_module(f"evals.kinds.crm.families.{name}").FAMILY for name in _NAMES)
