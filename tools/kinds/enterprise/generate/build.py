"""A whole generated enterprise."""

from __future__ import annotations

from collections.abc import Callable

from worksmith.tools.kinds.enterprise.generate.business.clients import add_clients
from worksmith.tools.kinds.enterprise.generate.business.customers import add_customers
from worksmith.tools.kinds.enterprise.generate.business.orders import add_orders
from worksmith.tools.kinds.enterprise.generate.business.products import add_products
from worksmith.tools.kinds.enterprise.generate.business.sales import add_sales
from worksmith.tools.kinds.enterprise.generate.business.sentiments import add_sentiments
from worksmith.tools.kinds.enterprise.generate.business.support_chats import add_support_chats
from worksmith.tools.kinds.enterprise.generate.business.vendors import add_vendors
from worksmith.tools.kinds.enterprise.generate.code.source import add_code
from worksmith.tools.kinds.enterprise.generate.draft import Draft, Hierarchy
from worksmith.tools.kinds.enterprise.generate.industry import Industry, industry_of
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.people.employees import add_employees
from worksmith.tools.kinds.enterprise.generate.people.resumes import add_resumes
from worksmith.tools.kinds.enterprise.generate.policies import add_policies
from worksmith.tools.kinds.enterprise.generate.projects import add_projects
from worksmith.tools.kinds.enterprise.generate.talk.conversations import add_conversations
from worksmith.tools.kinds.enterprise.generate.talk.mail import add_mail
from worksmith.tools.kinds.enterprise.generate.talk.overflow import add_overflow
from worksmith.tools.kinds.enterprise.generate.talk.posts import add_posts
from worksmith.tools.kinds.enterprise.generate.tickets import add_tickets
from worksmith.tools.world import WorldManifest

_STEPS: tuple[Callable[[Draft], None], ...] = (
    add_employees,
    add_products,
    add_customers,
    add_clients,
    add_vendors,
    add_projects,
    add_sales,
    add_sentiments,
    add_orders,
    add_tickets,
    add_code,
    add_conversations,
    add_mail,
    add_support_chats,
    add_overflow,
    add_posts,
    add_policies,
    add_resumes,
)
"""In this order: each adds the referents of later ones to the draft."""


def build_again(manifest: WorldManifest) -> Built:
    """The parts of a generated world.

    Raises:
        InputError: its industry is not one of the package.
    """
    industry = industry_of(manifest.industry)
    return build(manifest.seed or 0, manifest.scale or 1.0, industry=industry)


def build(
    seed: int = 7,
    scale: float = 1.0,
    hierarchy: Hierarchy = "paper",
    industry: Industry | None = None,
) -> Built:
    """The rows, documents and truths of a generated enterprise, ready to be written.

    Args:
        seed: decides all content; the same seed, scale, hierarchy and industry give the same bytes.
        scale: 1 is the published system's size. Below some size each source has a floor.
        hierarchy: how many seniors a department has.
        industry: the trade of the company; None for household goods.

    Raises:
        InputError: if the scale is out of range.
    """
    draft = Draft(seed, scale, hierarchy, industry)
    for step in _STEPS:
        step(draft)
    return draft.built()
