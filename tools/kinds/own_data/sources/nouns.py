"""One row of a table in words: the singular of the table's name."""

from __future__ import annotations

import re

_WORDS = {
    "people": "person",
    "children": "child",
    "women": "woman",
    "men": "man",
    "shelves": "shelf",
    "leaves": "leaf",
    "shoes": "shoe",
    "movies": "movie",
    "cookies": "cookie",
    "caches": "cache",
    "quizzes": "quiz",
    "analyses": "analysis",
    "theses": "thesis",
    "crises": "crisis",
    "indices": "index",
    "matrices": "matrix",
    **{word: word for word in ("series", "species", "news", "data", "lens", "gas", "always")},
}
_ENDINGS = (
    (re.compile(r"(?<=\w\w)ies$"), "y"),
    (re.compile(r"(ss|sh|ch|x|o|(?<=[^aeco])us|ias)es$"), r"\1"),
    (re.compile(r"(?<![sui])s$"), ""),
)


def singular(name: str) -> str:
    """The name with its last word in the singular: `order_detail` of `order_details`."""
    head, last = re.fullmatch(r"(.*?)([A-Z]?[a-z0-9]*|[A-Z]*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    plain = last.lower()
    one = _WORDS.get(plain)
    if one is None:
        ending = next((each for each in _ENDINGS if each[0].search(plain)), None)
        one = ending[0].sub(ending[1], plain) if ending and len(plain) > 2 else plain
    return head + (one.capitalize() if last.istitle() else one.upper() if last.isupper() else one)
