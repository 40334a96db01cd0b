"""All goals there are."""

from __future__ import annotations

import importlib
from functools import cache

from worksmith.evals.kinds.enterprise.goals.goal import Goal

MODULES: tuple[str, ...] = (
    "messages.chats",
    "messages.mails",
    "messages.changes",
    "messages.edits",
    "messages.passing",
    "messages.posts",
    "messages.partners",
    "sales.customer",
    "sales.product",
    "sales.totals",
    "sales.support",
    "swe.github",
    "swe.forum",
    "swe.forum_posts",
    "swe.newest",
    "swe.patch",
    "swe.mend",
    "swe.workspace",
    "swe.notices",
    "swe.others",
    "it.tickets",
    "it.desk",
    "it.notices",
    "it.others",
    "sales.records",
    "sales.catalogue",
    "sales.opinions",
    "bizops.clients",
    "bizops.vendors",
    "hr.policies",
    "hr.rules",
    "hr.cases",
    "hr.people",
    "hr.comparisons",
    "hr.records",
    "hr.newcomers",
    "hr.moves",
)
"""The modules of goals. Each has a `GROUP`."""


@cache
def goals() -> tuple[Goal, ...]:
    """The goals, in the order of their modules, and within one in the order of its wording.

    The order decides which goals come first where places are scarce.

    Raises:
        ValueError: two goals have the same id; a mistake in this package.
    """
    found: list[Goal] = []
    for name in MODULES:
        module = importlib.import_module(f"{__package__}.{name}")
        found.extend(module.GROUP.in_order)
    ids = [goal.id for goal in found]
    if len(set(ids)) < len(ids):
        raise ValueError(f"goals of the same id: {sorted(i for i in set(ids) if ids.count(i) > 1)}")
    return tuple(found)
