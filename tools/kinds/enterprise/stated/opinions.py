"""Reading the opinion of a review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import fill, texts, with_article
from worksmith.tools.kinds.enterprise.stated.particulars import sentences


class Opinion(NamedTuple):
    """A sentence that says what is good or bad, by kind of product."""

    kind: str
    band: str
    part: str


def opinions(text: str, industry: Industry) -> Iterator[set[Opinion]]:
    """For each sentence of a review that is an opinion, what it may be of."""
    known = _known(industry)
    return (known[sentence] for sentence in sentences(text) if sentence in known)


@cache
def _known(industry: Industry) -> dict[str, set[Opinion]]:
    found: dict[str, set[Opinion]] = defaultdict(set)
    for entry in industry.catalogue["kinds"]:
        slots = {"kind": entry["short"], "a_kind": with_article(entry["short"])}
        known = kind_reviews(industry, entry["name"])
        for part in entry["parts"]:
            for band in BANDS.values():
                for said in known.phrases(part, band):
                    for form in texts("reviews/words")["opinions"][band]:
                        sentence = fill(form, slots | {"aspect": part, "said": said})
                        found[sentence].add(Opinion(entry["name"], band, part))
    return found
