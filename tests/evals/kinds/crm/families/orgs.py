"""The records of orgs, for questions."""

from __future__ import annotations

from functools import cache

from evals.kinds.crm.questions.books import Books
from tests.tools.kinds.crm.generate.orgs import small


@cache
def small_books(seed: int = 7) -> Books:
    """The records of a small org; shared, so they are not to be changed."""
    return Books(small(seed))
