"""The verifier notices a post that does not agree with the tables and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.checks.coherence.posts import incoherent_post
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.business.clients import add_clients
from worksmith.tools.kinds.enterprise.generate.business.customers import add_customers
from worksmith.tools.kinds.enterprise.generate.business.products import add_products
from worksmith.tools.kinds.enterprise.generate.business.sales import add_sales
from worksmith.tools.kinds.enterprise.generate.business.vendors import add_vendors
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.grammar import long_day
from worksmith.tools.kinds.enterprise.generate.people.employees import add_employees
from worksmith.tools.kinds.enterprise.generate.projects import add_projects
from worksmith.tools.kinds.enterprise.generate.talk.posts import add_posts
from worksmith.tools.kinds.enterprise.generate.wording import texts


@cache
def facts() -> Facts:
    """A small world with posts of every kind."""
    draft = Draft(7, 0.02)
    draft.counts = replace(draft.counts, posts=150)
    steps = (
        add_employees,
        add_products,
        add_customers,
        add_clients,
        add_vendors,
        add_projects,
        add_sales,
        add_posts,
    )
    for step in steps:
        step(draft)
    return Facts(draft.built(), DEFAULT_NOW)


def post_of(kind: str) -> tuple[dict[str, str], Mapping[str, str]]:
    """A post of a kind, with its truths."""
    latent = next(iter(facts().latents("posts", kind)))
    return dict(facts().at(latent.ref) or {}), latent.facts


@each_row(
    ("kind", "fact", "reason"),
    [
        ("launch", "day", "was sold before"),
        ("partnership", "day", "another day"),
        ("farewell", "day", "does not leave on that day"),
        ("milestone", "figure", "pieces were sold"),
        ("award", "who", "does not work here"),
    ],
)
def test_a_post_that_a_record_contradicts_is_found(kind: str, fact: str, reason: str) -> None:
    post, stated = post_of(kind)
    other = {"day": "31 December 2030", "figure": "7", "who": "Nobody Atall"}[fact]
    old = long_day(stated[fact]) if fact == "day" else stated[fact]
    assert list(incoherent_post(post, facts())) == []
    found = list(incoherent_post({**post, "body": post["body"].replace(old, other)}, facts()))
    assert any(reason in one for one in found), found


@pytest.mark.parametrize(("kind", "fact"), [("launch", "about"), ("recall", "about")])
def test_a_post_about_an_unknown_product_is_found(kind: str, fact: str) -> None:
    post, stated = post_of(kind)
    body = post["body"].replace(stated[fact], "Tezz Bolt Umbrella, small, red")
    assert any("no product" in one for one in incoherent_post({**post, "body": body}, facts()))


def test_help_that_no_place_needs_is_found() -> None:
    post, stated = post_of("volunteering")
    helps = texts("posts/stories")["help"]
    place = next(one for one in helps if one != stated["place"])
    body = post["body"].replace(stated["place"], place)
    assert any("no help at" in one for one in incoherent_post({**post, "body": body}, facts()))
