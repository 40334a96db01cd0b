"""All goals there are."""

from __future__ import annotations

import importlib
from functools import cache

from evals.kinds.enterprise.goals.goal import Goal

MODULES: tuple[str, ...] = (
    "messages",
    "mails",
    "message_changes",
    "message_edits",
    "sales_customer",
    "sales_purchases",
    "sales_chains",
    "sales_product",
    "sales_profile",
    "sales_support",
    "sales_cases",
    "swe_github",
    "swe_newest",
    "swe_patch",
    "swe_patch_chats",
    "swe_workspace",
    "swe_notices",
    "swe_others",
    "it_tickets",
    "it_lists",
    "it_chains",
    "it_desk",
    "it_notices",
    "it_others",
    "sales_records",
    "sales_new",
    "sales_catalogue",
    "sales_reviews",
    "bizops",
    "bizops_vendors",
    "bizops_reports",
    "hr_policies",
    "hr_rules",
    "hr_cases",
    "hr_people",
    "hr_comparisons",
    "hr_records",
    "hr_newcomers",
    "hr_moves",
)
"""The modules of goals. Each has a `BOOK`, or several in `BOOKS`."""


@cache
def goals() -> tuple[Goal, ...]:
    """The goals, in the order of their modules.

    Raises:
        ValueError: two goals have the same id; a mistake in this package.
    """
    found: list[Goal] = []
    for name in MODULES:
        module = importlib.import_module(f"evals.kinds.enterprise.goals.{name}")
        books = getattr(module, "BOOKS", None) or (module.BOOK,)
        found.extend(goal for book in books for goal in book.goals)
    ids = [goal.id for goal in found]
    if len(set(ids)) < len(ids):
        raise ValueError(f"goals of the same id: {sorted(i for i in set(ids) if ids.count(i) > 1)}")
    return tuple(found)
