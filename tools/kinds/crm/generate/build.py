"""A whole generated org."""

from __future__ import annotations

from worksmith.tools.kinds.crm.generate.articles import add_advice, add_policies
from worksmith.tools.kinds.crm.generate.cases import add_cases
from worksmith.tools.kinds.crm.generate.conversations import add_conversations
from worksmith.tools.kinds.crm.generate.draft import Built, Draft
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.orders import add_orders
from worksmith.tools.kinds.crm.generate.people import add_agents, add_customers
from worksmith.tools.kinds.crm.generate.products import add_prices, add_products

_STEPS = (
    add_agents,
    add_products,
    add_prices,
    add_customers,
    add_orders,
    add_policies,
    add_advice,
    add_cases,
    add_conversations,
)
"""In this order: each adds the referents of later ones to the draft."""


def build(seed: int = 7, scale: float = 1.0, *, industry: Industry | None = None) -> Built:
    """Generate the rows and truths of an org, ready to be written.

    Args:
        seed: decides all content; the same seed, scale and industry give the same bytes.
        scale: 1 is the published org's size. Below some size most objects have a floor.
        industry: the goods of the company; None for sports shoes and clothes.

    Raises:
        InputError: the scale is out of range.
    """
    draft = Draft(seed, scale, industry)
    for step in _STEPS:
        step(draft)
    return draft.built()
