"""What the goals about sales share: years, sums over sales, and who leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from random import Random

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.scene import Scene, clear_best
from evals.kinds.enterprise.goals.script import Row

YEARS = tuple(str(year) for year in range(2016, 2023))
_MOST = 50
"""More records than a reading call shows at once are no task."""


def named_product(scene: Scene) -> Record | None:
    """A product that can be told by its name."""
    row = scene.pick("products")
    return row if row and scene.facts.unique("products", "product_name", row["product_name"]) else None


def named_customer(scene: Scene) -> Record | None:
    """A customer who can be told by the name."""
    row = scene.pick("customers")
    return row if row and scene.facts.unique("customers", "customer_name", row["customer_name"]) else None


def year(random: Random) -> str:
    """Some year of business."""
    return random.choice(YEARS)


def in_year(rows: Iterable[Record], column: str, wanted: str) -> list[Record]:
    """The rows of one year."""
    return [row for row in rows if row[column].startswith(wanted)]


def units(rows: Iterable[Record | Row]) -> int:
    """The pieces sold."""
    return sum(int(row["quantity"]) for row in rows)


def units_by(rows: Iterable[Record | Row], column: str) -> dict[str, float]:
    """The pieces sold by what a column says."""
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        found[row[column]] += int(row["quantity"])
    return dict(found)


def leader(rows: Iterable[Record | Row], column: str, *, but: str = "") -> str | None:
    """With which value of a column clearly most pieces go; None if it is not clear."""
    scores: Mapping[str, float] = {key: n for key, n in units_by(rows, column).items() if key != but}
    return clear_best(scores)


def sales_of(scene: Scene, column: str, key: str) -> list[Record] | None:
    """All sales of a product or customer if they fit one call, and are more than two."""
    rows = scene.facts.where("sales", **{column: key})
    return rows if 2 < len(rows) <= _MOST else None


def span(wanted: str) -> dict[str, str]:
    """The arguments of a call for one year."""
    return {"date_from": f"{wanted}-01-01", "date_to": f"{wanted}-12-31"}


def latest(rows: Iterable[Record], column: str) -> Record | None:
    """The row with the last day, if no other has the same."""
    order = sorted(rows, key=lambda row: row[column], reverse=True)
    if not order or (len(order) > 1 and order[0][column] == order[1][column]):
        return None
    return order[0]
