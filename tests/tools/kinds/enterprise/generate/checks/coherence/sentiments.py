"""A review says of its product what one can say of that kind, and its stars are those of its words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.products import kind_bought
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.grammar import MONTHS, grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.opinions import opinions
from worksmith.tools.kinds.enterprise.stated.particulars import sentences
from worksmith.tools.kinds.enterprise.stated.sentences import read

_SLOT = re.compile(r"\{\w+\}")


def incoherent_review(review: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the kind of product, or to the stars."""
    text, kind = review["review_content"], kind_bought(review, facts)
    stated = list(opinions(text, facts.industry))
    if len(stated) != 1:
        yield f"it has {len(stated)} opinions"
        return
    fitting = {one for one in stated[0] if one.kind == kind}
    if not fitting:
        yield f"nobody says that of a {kind}"
    bands = {one.band for one in stated[0]}
    given = {BANDS[int(stars)] for stars in read(grammar("reviews/words"), "stars", text)}
    if given != bands:
        yield f"the words are {', '.join(sorted(bands))}, the stars {', '.join(sorted(given)) or 'missing'}"
    for sentence in sentences(text):
        kinds = _scenes(facts.industry).get(_open(sentence))
        if kinds and kind not in kinds:
            yield f"{sentence!r} does not happen with a {kind}"


@cache
def _scenes(industry: Industry) -> dict[str, set[str]]:
    """The kinds of product by scene, without what stands in its slots."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry in industry.catalogue["kinds"]:
        known = kind_reviews(industry, entry["name"])
        for scene in known.scenes + known.later:
            found[_open(_SLOT.sub("_", scene))].add(entry["name"])
    return found


def _open(sentence: str) -> str:
    return _values().sub("_", sentence)


@cache
def _values() -> re.Pattern[str]:
    few = ("two", "three", "four", "five", "six", "seven", "eight")
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    words = (*few, *map(str.capitalize, few), *days, *MONTHS, *texts("customers")["regions"])
    return re.compile("|".join(rf"\b{word}" for word in words))
