"""Names that customers give to products: each means one kind, and a search can find that kind by it."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from worksmith.evals.kinds.crm.families.shop import (
    Mention,
    has_words,
    meant,
    read_mention,
    soft_names,
    soft_names_of,
)
from worksmith.tools.kinds.crm.generate.industry import industry_names, packaged

DESCRIBED = {
    name: {
        kind: f"Corvane {kind}. {one}, or {other}, in canvas; {feature}."
        for category in packaged(name).data.categories
        for kind, one, other, feature in category.kinds
    }
    for name in industry_names()
}
"""By industry every kind with all that is in descriptions of it."""

KINDS = [(industry, kind) for industry, kinds in DESCRIBED.items() for kind in kinds]
SHOES = packaged()


def test_a_name_means_its_kind_and_can_be_searched_for() -> None:
    for industry, kind in KINDS:
        for name in soft_names_of(kind, packaged(industry)):
            assert meant(name.text, DESCRIBED[industry], packaged(industry)) == {kind}, name
            assert has_words(DESCRIBED[industry][kind], name.search), name
            assert kind.lower() not in name.text.lower()


@each_row("color", ["", *SHOES.data.colors])
def test_names_are_read_with_their_color(color: str) -> None:
    for name in soft_names(SHOES).values():
        mention = Mention(name, color)
        assert read_mention(f"Show me the {mention.text} that I bought.", SHOES) == mention


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
    assert read_mention(text, SHOES) is None


def test_of_two_products_that_share_words_the_one_with_the_rare_ones_is_meant() -> None:
    products = {
        "a": "Oriel Goggle. Glasses for swimming, or pool eyewear, in teal canvas.",
        "b": "Oriel Pool Slide. Slippers for the poolside, in teal canvas.",
        "c": "Oriel Aqua Shoe. Rubber shoes for beaches, in teal canvas.",
    }
    assert meant("teal pool eyewear", products, SHOES) == {"a"}
    assert meant("teal things", products, SHOES) == {"a", "b", "c"}
    assert meant("wooden spoon", products, SHOES) == set()
