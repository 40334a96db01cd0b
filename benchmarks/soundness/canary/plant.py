"""Planting: an enterprise world in which every record and every private field holds a token of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.sqlite.schema import Table

Cells = tuple[str | None, ...]

TOKEN = r"(?i)zq[0-9a-f]{6}zq|77\d{7}"
"""What a token looks like, in texts and in cells that hold numbers; a regular expression."""

PLANTED: Mapping[str, tuple[str, ...]] = {
    "employees": ("description", "skills"),
    "conversations": ("text", "category"),
    "mail": ("subject", "body", "signature", "confidentiality_notice"),
    "repositories": ("code", "license"),
    "issues": ("title", "description", "patch"),
    "tickets": ("issue", "resolution", "category"),
    "products": ("product_name", "about_product"),
    "customers": ("customer_name", "region"),
    "sales": ("quantity", "discounted_price"),
    "sentiments": ("review_content",),
    "support_chats": ("text",),
    "orders": ("text", "total"),
    "overflow": ("title", "body"),
    "posts": ("title", "body"),
    "policies": ("text",),
    "clients": (
        "business_name",
        "engagement_description",
        "monthly_revenue",
        "contact_person_name",
        "tax_id",
    ),
    "vendors": ("business_name", "relationship_description", "contact_person_name", "tax_id"),
    "resumes": ("content", "email"),
}
"""Columns that carry a token. Keys, references, addresses of contacts, dates and vocabularies stay,
so that tools work."""

PRIVATE = ("salary", "age", "gender", "marital_status", "performance_rating", "remaining_casual_leaves")
"""Private columns of employees, each with a token of its own that stands in for the value."""

_NUMERIC = frozenset({"salary", "age", "performance_rating", "remaining_casual_leaves"}) | {
    "quantity",
    "discounted_price",
    "total",
    "monthly_revenue",
}


class Spot(NamedTuple):
    """Where a token was planted."""

    source: str
    key: str
    column: str


@dataclass(frozen=True)
class Planted:
    """Tables with tokens in them, and where each token stands."""

    rows: dict[str, list[Cells]]
    spots: dict[str, Spot]


def plant(rows: Mapping[str, Sequence[Cells]]) -> Planted:
    """A copy of a world's tables with a token in every record and every private field."""
    spots: dict[str, Spot] = {}
    planted = {t.name: [_with_tokens(t, cells, spots) for cells in rows.get(t.name, ())] for t in TABLES}
    return Planted(planted, spots)


def _with_tokens(table: Table, cells: Cells, spots: dict[str, Spot]) -> Cells:
    record = dict(zip(table.columns, cells, strict=True))
    key = record[KEYS[table.name]] or ""
    for column in PLANTED[table.name]:
        token = _token(len(spots), column)
        spots[token] = Spot(table.name, key, column)
        # First, so that a text cut to its beginning still shows it.
        record[column] = token if column in _NUMERIC else f"{token} {record[column] or ''}".rstrip()
    for column in PRIVATE if table.name == "employees" else ():
        token = _token(len(spots), column)
        spots[token] = Spot(table.name, key, column)
        record[column] = token
    return tuple(record[column] for column in table.columns)


def _token(number: int, column: str) -> str:
    return f"77{number:07d}" if column in _NUMERIC else f"zq{number:06x}zq"
