"""Names that customers give to products: each means one kind, and a search can find that kind by it."""

from __future__ import annotations

import re

import pytest

from evals.kinds.crm.families.shop import (
    Mention,
    colors,
    has_words,
    meant,
    read_mention,
    soft_names,
    soft_names_of,
)
from evals.kinds.crm.questions.wording import wording
from tools.kinds.crm.generate.wording import texts

KINDS = [kind for category in texts("products")["categories"] for kind in category["kinds"]]
DESCRIBED = {kind[0]: f"Corvane {kind[0]}. {kind[1]}, or {kind[2]}, in canvas; {kind[3]}." for kind in KINDS}
"""Every kind with all that is in descriptions of it."""


def test_every_kind_has_names_of_both_sorts() -> None:
    assert len(KINDS) == 60
    for kind in DESCRIBED:
        names = {name.text for name in soft_names_of(kind)}
        assert len(names) == 4
        assert sum(name in DESCRIBED[kind] for name in names) == 2


@pytest.mark.parametrize("kind", DESCRIBED)
def test_a_name_means_its_kind_and_can_be_searched_for(kind: str) -> None:
    for name in soft_names_of(kind):
        assert meant(name.text, DESCRIBED) == {kind}, name
        assert has_words(DESCRIBED[kind], name.search), name
        assert kind.lower() not in name.text.lower()


def test_words_to_search_for_are_those_of_the_name_or_listed_synonyms() -> None:
    for name in soft_names().values():
        said = set(re.findall(r"[a-z0-9]+", name.text.lower()))
        said |= {other for word in said for other in wording("soft_names")["synonyms"].get(word, ())}
        assert has_words(" ".join(said), name.search), name


@pytest.mark.parametrize("color", ["", *colors()])
def test_names_are_read_with_their_color(color: str) -> None:
    for name in soft_names().values():
        mention = Mention(name, color)
        assert read_mention(f"Show me the {mention.text} that I bought.") == mention


@pytest.mark.parametrize(
    "text",
    [
        "Show me the shoes that I bought.",
        "Show me the pool eyewear and the beach trunks that I bought.",
        "Show me the pool eyewear, the teal pool eyewear.",
        "",
    ],
)
def test_what_is_no_name_or_are_several_is_not_read(text: str) -> None:
    assert read_mention(text) is None


def test_of_two_products_that_share_words_the_one_with_the_rare_ones_is_meant() -> None:
    products = {
        "a": "Oriel Goggle. Glasses for swimming, or pool eyewear, in teal canvas.",
        "b": "Oriel Pool Slide. Slippers for the poolside, in teal canvas.",
        "c": "Oriel Aqua Shoe. Rubber shoes for beaches, in teal canvas.",
    }
    assert meant("teal pool eyewear", products) == {"a"}
    assert meant("teal things", products) == {"a", "b", "c"}
    assert meant("wooden spoon", products) == set()
