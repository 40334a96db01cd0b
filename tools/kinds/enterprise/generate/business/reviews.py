"""What customers say of a kind of product and its parts, from the folder `reviews/` of an industry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from worksmith.tools.kinds.enterprise.generate.industry import Industry

BANDS = {
    1: "negative_strong",
    2: "negative_mild",
    3: "neutral_none",
    4: "positive_mild",
    5: "positive_strong",
}
"""What so many stars mean: polarity and severity."""

_LISTS = {
    "negative_strong": "bad",
    "negative_mild": "mild",
    "neutral_none": "meh",
    "positive_mild": "good",
    "positive_strong": "good",
}
_PERSONAL = {"I", "me", "my", "we", "us", "our"}


@dataclass(frozen=True)
class KindReviews:
    """The words about one kind of product.

    Attributes:
        scenes: how it is used, without an opinion.
        later: such scenes that take some weeks of use.
        parts: by part and list (`good`, `meh`, `mild`, `bad`) what is said after "the <part>".
    """

    scenes: tuple[str, ...]
    later: tuple[str, ...]
    parts: Mapping[str, Mapping[str, tuple[str, ...]]]

    def phrases(self, part: str, band: str) -> tuple[str, ...]:
        """What is said of a part in a review of a band."""
        return self.parts[part][_LISTS[band]]


@cache
def kind_reviews(industry: Industry, kind: str) -> KindReviews:
    """The words about a kind of product.

    Raises:
        KeyError: if no file has this kind.
    """
    return _all(industry)[kind]


@cache
def defects(industry: Industry, kind: str) -> dict[str, tuple[str, ...]]:
    """What may be wrong with each part of a kind of product, after "the <part>", said in no person."""
    return {
        part: tuple(said for said in lists["bad"] if not _PERSONAL & set(said.split()))
        for part, lists in kind_reviews(industry, kind).parts.items()
    }


@cache
def _all(industry: Industry) -> dict[str, KindReviews]:
    return {kind: _read(dict(entry)) for kind, entry in industry.reviews.items()}


def _read(entry: dict[str, dict[str, list[str]]]) -> KindReviews:
    scenes, later = tuple(entry.pop("scenes")), tuple(entry.pop("later"))
    parts = {part: {name: tuple(said) for name, said in lists.items()} for part, lists in entry.items()}
    return KindReviews(scenes, later, parts)
