"""What a customer may say of a product: it fits the kind of product, and a complaint complains."""

from __future__ import annotations

from functools import cache
from typing import Any

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, need
from worksmith.tools.kinds.enterprise.generate.business.product_problems import product_problems
from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import fill, texts, with_article

_NEGATIVE = ("negative_mild", "negative_strong")


def draw_review(ctx: DrawContext, product_id: str) -> str:
    """One sentence on one part of a product, praise or blame."""
    kind = _kind(ctx, product_id)
    return _opinion(ctx, kind, ctx.rng.choice(kind["parts"]), ctx.rng.choice([*BANDS.values()]))


def draw_complaint(ctx: DrawContext, product_id: str) -> str:
    """A complaint about a product, in a sentence or two."""
    name = _kind(ctx, product_id)["name"]
    known = [
        one
        for one in product_problems(ctx.facts.industry).values()
        if name in one.kinds and one.fits != ("advice",)
    ]
    return ctx.rng.choice([said for one in known for said in one.says if "{" not in said])


def draw_review_after(ctx: DrawContext, product_id: str, complaint: str) -> str:
    """A bad review of the part that `complaint`, of `draw_complaint`, is about."""
    part = next(one.part for one in product_problems(ctx.facts.industry).values() if complaint in one.says)
    return _opinion(ctx, _kind(ctx, product_id), part, ctx.rng.choice(_NEGATIVE))


def _opinion(ctx: DrawContext, kind: dict[str, Any], part: str, band: str) -> str:
    slots = {
        "kind": kind["short"],
        "a_kind": with_article(kind["short"]),
        "aspect": part,
        "said": ctx.rng.choice(kind_reviews(ctx.facts.industry, kind["name"]).phrases(part, band)),
    }
    return fill(ctx.rng.choice(texts("reviews/words")["opinions"][band]), slots)


def _kind(ctx: DrawContext, product_id: str) -> dict[str, Any]:
    product = need(ctx.facts.get("products", product_id))
    return need(_kinds(ctx.facts.industry).get(product["category"]))


@cache
def _kinds(industry: Industry) -> dict[str, dict[str, Any]]:
    """The kinds of product by category."""
    return {kind["category"]: kind for kind in industry.kinds.values()}
