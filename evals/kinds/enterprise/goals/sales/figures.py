"""What the goals about sales share: years, sums over sales, and who leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from random import Random

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, clear_best
from evals.kinds.enterprise.goals.plan_recorder import Row

YEARS = tuple(str(year) for year in range(2016, 2023))
_MOST = 50
"""More records than a reading call shows at once are no task."""


def named_product(ctx: DrawContext) -> Record:
    """A product that can be told by its name."""
    row = ctx.pick("products")
    if not ctx.facts.unique("products", "product_name", row["product_name"]):
        raise UnfitError
    return row


def named_customer(ctx: DrawContext) -> Record:
    """A customer who can be told by the name."""
    row = ctx.pick("customers")
    if not ctx.facts.unique("customers", "customer_name", row["customer_name"]):
        raise UnfitError
    return row


def year(random: Random) -> str:
    return random.choice(YEARS)


def units(rows: Iterable[Record | Row]) -> int:
    """The pieces sold."""
    return sum(int(row["quantity"]) for row in rows)


def units_by(rows: Iterable[Record | Row], column: str) -> dict[str, float]:
    """The pieces sold by what a column says."""
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        found[row[column]] += int(row["quantity"])
    return dict(found)


def leader(rows: Iterable[Record | Row], column: str, *, but: str = "") -> str:
    """With which value of a column clearly most pieces go; None if it is not clear."""
    scores: Mapping[str, float] = {key: n for key, n in units_by(rows, column).items() if key != but}
    return clear_best(scores)


def sales_of(ctx: DrawContext, column: str, key: str) -> list[Record]:
    """All sales of a product or customer if they fit one call, and are more than two."""
    rows = ctx.facts.where("sales", **{column: key})
    if not 2 < len(rows) <= _MOST:
        raise UnfitError
    return rows
