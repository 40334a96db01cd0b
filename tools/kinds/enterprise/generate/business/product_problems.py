"""What customers of a kind of product write about: what belongs together in a support chat.

The folder `problems/` of an industry has one file for each group of kinds. An entry, under its key, has:

- `kinds`, `part`: which kinds of product it is about and which part of them;
- `fits`: the outcomes that make sense; `advice` stands alone, for questions where nothing is broken;
- `says`: wordings of what the customer reports; `when`: circumstances that fit each of them;
- `ask`: a question of the representative and answers to it;
- `steps`: what to try, the words if it worked and if it did not; for advice a tip and the reaction;
- `why`: the explanation; `no`: why nothing can be done, if `unresolved` fits;
- `days`: at least and at most so many after the purchase, where that matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.industry import Industry

_ANY_DAY = (0, 999)


@dataclass(frozen=True)
class ProductProblem:
    """One entry; see the module."""

    key: str
    kinds: tuple[str, ...]
    part: str
    fits: tuple[str, ...]
    says: tuple[str, ...]
    when: tuple[str, ...]
    ask: tuple[tuple[str, ...], ...]
    steps: tuple[tuple[str, ...], ...]
    why: tuple[str, ...]
    no: str = ""
    days: tuple[int, int] = _ANY_DAY


@cache
def product_problems(industry: Industry) -> dict[str, ProductProblem]:
    """All problems by key."""
    return {
        key: ProductProblem(key, **{name: _frozen(value) for name, value in entry.items()})
        for key, entry in industry.problems.items()
    }


@cache
def problems_of(industry: Industry, kind: str, outcome: str) -> tuple[ProductProblem, ...]:
    """The problems of a kind of product that may end like that."""
    return tuple(
        one for one in product_problems(industry).values() if kind in one.kinds and outcome in one.fits
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
