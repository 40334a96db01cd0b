"""A whole generated org."""

from __future__ import annotations

import importlib

from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.latent import Built

_STEPS = (
    "agents:add_agents",
    "products:add_products",
    "prices:add_prices",
    "customers:add_customers",
    "orders:add_orders",
    "policies:add_policies",
    "articles:add_advice",
    "cases:add_cases",
    "conversations:add_conversations",
)
"""In this order: each adds to the draft what the later ones refer to."""


def build(seed: int = 7, scale: float = 1.0, *, noise: bool = False) -> Built:
    """The rows and truths of a generated org, ready to be written.

    Args:
        seed: decides all content; the same seed, scale and noise give the same bytes.
        scale: 1 is the published org's size. Below some size most objects have a floor.
        noise: add what real orgs have lying around: users who handle no cases, stock accounts, every chat
            transcript a second time.

    Raises:
        InputError: if the scale is out of range.
    """
    draft = Draft(seed, scale, noise=noise)
    for step in _STEPS:
        module, _, function = step.partition(":")
        getattr(importlib.import_module(f"tools.kinds.crm.generate.{module}"), function)(draft)
    return draft.built()
