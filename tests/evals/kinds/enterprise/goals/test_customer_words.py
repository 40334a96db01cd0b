"""What customers say in tasks of Sales: complaints complain, and words fit the product."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.kinds.enterprise.goals.sales import customer_words
from worksmith.tools.kinds.enterprise.generate.business.product_problems import product_problems
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.stated.opinions import opinions


@cache
def facts() -> Facts:
    return Facts(small(), DEFAULT_NOW)


def kind_of(product: Record) -> str:
    kinds = {kind["category"]: kind["name"] for kind in packaged().catalogue["kinds"]}
    return str(kinds[product["category"]])


def drawn_of(name: str, seed: int) -> Draw | None:
    return attempt(next(goal for goal in goals() if goal.id == name).draw, context(seed))


def context(seed: int) -> DrawContext:
    seller = next(row for row in facts().staff(["SA"]))
    return DrawContext(facts(), Random(seed), seller, empty=False, free=bool)


@each_row("seed", range(8))
def test_a_complaint_and_the_review_after_it_are_about_one_part_of_the_product(seed: int) -> None:
    drawn = drawn_of("sales.complaint_reviewed", seed)
    assert drawn is not None
    product = facts().get("products", str(drawn.actions[0].arguments["product_id"]))
    assert product is not None

    problem = next(
        one for one in product_problems(packaged()).values() if drawn.slots["complaint"] in one.says
    )
    [meant] = opinions(drawn.slots["review"], packaged())

    assert kind_of(product) in problem.kinds
    assert problem.fits != ("advice",)
    assert any(one.kind == kind_of(product) and one.part == problem.part for one in meant)
    assert {one.band.partition("_")[0] for one in meant} == {"negative"}


@each_row("seed", range(8))
def test_a_review_fits_the_kind_of_product(seed: int) -> None:
    drawn = drawn_of("sales.review_added", seed)
    assert drawn is not None
    product = facts().get("products", str(drawn.actions[0].arguments["product_id"]))
    [meant] = opinions(drawn.slots["review"], packaged())

    assert product is not None
    assert kind_of(product) in {one.kind for one in meant}


def test_nothing_is_said_of_a_product_that_is_not_there() -> None:
    with pytest.raises(UnfitError):
        customer_words.draw_review(context(0), "PRD-9999")
