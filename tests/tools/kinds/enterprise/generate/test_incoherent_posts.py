"""The verifier notices a client, vendor or post that does not agree with the tables and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from tests.tools.kinds.enterprise.generate.checks.coherence.clients import incoherent_client
from tests.tools.kinds.enterprise.generate.checks.coherence.posts import incoherent_post
from tests.tools.kinds.enterprise.generate.checks.coherence.vendors import incoherent_vendor
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.business.clients import add_clients
from worksmith.tools.kinds.enterprise.generate.business.customers import add_customers
from worksmith.tools.kinds.enterprise.generate.business.products import add_products
from worksmith.tools.kinds.enterprise.generate.business.sales import add_sales
from worksmith.tools.kinds.enterprise.generate.business.vendors import add_vendors
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.grammar import long_day
from worksmith.tools.kinds.enterprise.generate.industry import packaged
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


@pytest.mark.parametrize(
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


def test_a_client_of_another_industry_is_found() -> None:
    client = dict(facts().all("clients")[0])
    assert list(incoherent_client(client, facts())) == []
    other = "Legal Services" if client["industry"] != "Legal Services" else "Fitness"
    found = list(incoherent_client({**client, "industry": other}, facts()))
    assert any("is not said of" in one for one in found)


def test_a_product_that_an_industry_does_not_buy_is_found() -> None:
    client = dict(facts().all("clients")[0])
    uses = packaged().clients[client["industry"]]["uses"]
    sprayer = next(
        one
        for one in facts().all("products")
        if not any(kind in one["product_name"].lower() for kind in uses)
    )
    text = client["engagement_description"].replace(client["current_poc_product"], sprayer["product_name"])
    planted = {**client, "current_poc_product": sprayer["product_name"], "engagement_description": text}
    assert any("no such use" in one for one in incoherent_client(planted, facts()))


def test_a_stationery_supplier_of_suitcases_is_found() -> None:
    vendor = dict(facts().all("vendors")[0])
    stated = facts().fact("vendors", vendor["vendor_id"], "supplies") or ""
    text = vendor["relationship_description"].replace(stated, "trolley suitcases")
    vendor |= {"industry": "Stationery", "relationship_description": text}
    assert any("supplies no such thing" in one for one in incoherent_vendor(vendor, facts()))


@pytest.mark.parametrize(("fact", "other"), [("concern", "plants that are replaced in silence")])
def test_a_concern_about_another_trade_is_found(fact: str, other: str) -> None:
    vendor = next(dict(one) for one in facts().all("vendors") if one["industry"] != "Facility Services")
    assert list(incoherent_vendor(vendor, facts())) == []
    stated = facts().fact("vendors", vendor["vendor_id"], fact) or ""
    text = vendor["relationship_description"].replace(stated, other)
    found = list(incoherent_vendor({**vendor, "relationship_description": text}, facts()))
    assert any("does not go with" in one for one in found)


def test_a_step_that_does_not_follow_the_stage_is_found() -> None:
    known = [dict(one) for one in facts().all("clients")]
    stages = {one["client_id"]: facts().fact("clients", one["client_id"], "stage") for one in known}
    paused = next(one for one in known if stages[one["client_id"]] != "the roll-out to all sites")
    step = facts().fact("clients", paused["client_id"], "next_step") or ""
    text = paused["engagement_description"].replace(step, "the delivery of the second batch")
    found = list(incoherent_client({**paused, "engagement_description": text}, facts()))
    assert any("no step of" in one for one in found)
