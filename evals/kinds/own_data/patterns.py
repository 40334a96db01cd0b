"""Regular expressions of task files: refused forms, and the limits of a search."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any
from unicodedata import normalize

import regex  # type: ignore[import-untyped]

LONGEST = 20_000
"""Characters of an answer that a pattern is looked for in."""

LONGEST_PATTERN = 2_000

_SECONDS = 0.2
"""For a search; a pattern that takes longer on an answer does not match it."""

_MOST_REPEATS = 100_000
"""The product of a pattern's fewest repeats: it takes as much memory."""

_REPEATS = re.compile(r"\{(\d+)(?:,\d*)?\}")

_BLANKS = re.compile(r"#[^\n]*|\s")
"""Is no part of a pattern with the flag `x`."""


def checked(pattern: str) -> str:
    """The pattern.

    Raises:
        ValueError: it is not a regular expression, or takes too much memory.
    """
    if max(_fewest(pattern), _fewest(_BLANKS.sub("", pattern))) > _MOST_REPEATS:
        raise ValueError(f"it repeats something more than {_MOST_REPEATS:,} times")
    try:
        _compiled(pattern)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"no regular expression: {error}") from error
    return pattern


def is_found(pattern: str, text: str) -> bool:
    try:
        return _compiled(pattern).search(normalize("NFC", text[:LONGEST]), timeout=_SECONDS) is not None
    except TimeoutError:
        return False


def _fewest(pattern: str) -> int:
    """The product of all fewest repeats that a pattern states."""
    return math.prod(max(1, int(count)) for count in _REPEATS.findall(pattern))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    return regex.compile(normalize("NFC", pattern))
