"""Query texts around values that come from an agent: nothing in a value can end the literal it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from worksmith.tools.kinds.crm import ids

LISTED = 9_000
"""Characters of all lists of one statement: what fits into a request of the platform's API, encoded."""

_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile(r"""[?&|!{}\[\]()^~*:\\"'+-]""")
_OPERATORS = frozenset({"AND", "OR", "NOT"})


def literal(text: str) -> str:
    """`text` as a string of SOQL."""
    return "'" + "".join(_ESCAPES.get(letter, letter) for letter in text) + "'"


def search_term(text: str) -> str:
    """`text` as the term of a search for its words: without punctuation and operators.

    Empty if there is no word in it.
    """
    words = (word for word in text.split() if word.upper() not in _OPERATORS)
    return " ".join(_SPECIAL.sub(r"\\\g<0>", word) for word in words if re.search(r"[^\W_]", word))


def one_of(field: str, values: Sequence[str]) -> str:
    if len(values) == 1:
        return f"{field} = {literal(values[0])}"
    return f"{field} IN ({', '.join(map(literal, values))})"


def parts(lists: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Conditions that the fields have one of their values, for one statement after the other.

    Together the statements find what a single one would, were it not too long.
    """
    budget = LISTED // max(1, len(lists))
    split = [[one_of(field, part) for part in _pieces(values, budget)] for field, values in lists.items()]
    return (list(conditions) for conditions in product(*split))


def distinct(values: Sequence[str]) -> list[str]:
    """The values without repetitions, ids in their full form: in two statements one would count twice."""
    return list(dict.fromkeys(ids.canonical(value) or value for value in values))


def _pieces(values: Sequence[str], budget: int) -> Iterator[list[str]]:
    piece: list[str] = []
    size = 0
    for value in values:
        length = len(value) + 4
        if piece and size + length > budget:
            yield piece
            piece, size = [], 0
        piece.append(value)
        size += length
    yield piece
