"""The nine kinds of questions as tables list them, and what kind of value each asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["user_id", "product_id", "article_id", "issue_id", "month", "state", "text"]


@dataclass(frozen=True)
class TaskType:
    """A kind of question.

    Attributes:
        name: the intent of its tasks.
        code: how tables call it.
        asks: what kind of value answers it.
    """

    name: str
    code: str
    asks: ValueKind


KNOWLEDGE_QA = "knowledge_qa"
"""The one whose answers are sentences."""

TASK_TYPES: dict[str, TaskType] = {
    each.name: each
    for each in (
        TaskType("case_routing", "NCR", "user_id"),
        TaskType("handle_time", "HTU", "user_id"),
        TaskType("transfer_count", "TCU", "user_id"),
        TaskType("named_entity_disambiguation", "NED", "product_id"),
        TaskType("policy_violation_identification", "PVI", "article_id"),
        TaskType(KNOWLEDGE_QA, "KQA", "text"),
        TaskType("top_issue_identification", "TII", "issue_id"),
        TaskType("monthly_trend_analysis", "MTA", "month"),
        TaskType("best_region_identification", "BRI", "state"),
    )
}
"""By name, in the order of the published tables."""
