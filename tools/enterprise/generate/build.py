"""A whole generated enterprise."""

from __future__ import annotations

import importlib

from tools.enterprise.generate.draft import Draft, Hierarchy
from tools.enterprise.generate.latent import Built

_STEPS = (
    "employees:add_employees",
    "products:add_products",
    "customers:add_customers",
    "clients:add_clients",
    "vendors:add_vendors",
    "projects:add_projects",
    "sales:add_sales",
    "sentiments:add_sentiments",
    "orders:add_orders",
    "tickets:add_tickets",
    "repositories:add_repositories",
    "issues:add_issues",
    "conversations:add_conversations",
    "mail:add_mail",
    "support_chats:add_support_chats",
    "overflow:add_overflow",
    "posts:add_posts",
    "policies:add_policies",
    "resumes:add_resumes",
)
"""In this order: each adds to the draft what the later ones refer to."""


def build(seed: int = 7, scale: float = 1.0, hierarchy: Hierarchy = "paper") -> Built:
    """The rows, documents and truths of a generated enterprise, ready to be written.

    Args:
        seed: decides all content; the same seed, scale and hierarchy give the same bytes.
        scale: 1 is the published system's size. Below some size each source has a floor.
        hierarchy: how many seniors a department has.

    Raises:
        InputError: if the scale is out of range.
    """
    draft = Draft(seed, scale, hierarchy)
    for step in _STEPS:
        module, _, function = step.partition(":")
        getattr(importlib.import_module(f"tools.enterprise.generate.{module}"), function)(draft)
    return draft.built()
