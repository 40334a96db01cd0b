"""The verifier notices reviews whose stars, words and product do not fit; every product has words."""

from __future__ import annotations

from functools import cache

import pytest

from tests.tools.kinds.enterprise.generate.checks.coherence.products import kind_bought
from tests.tools.kinds.enterprise.generate.checks.coherence.sentiments import incoherent_review
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.business.reviews import BANDS, kind_reviews
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.stated.opinions import opinions
from worksmith.tools.kinds.enterprise.stated.particulars import sentences


@cache
def facts() -> Facts:
    return Facts(small(), DEFAULT_NOW)


def reviews(stars: str) -> list[dict[str, str]]:
    """The reviews of the small world with so many stars."""
    given = [one.ref for one in small().latents_of("sentiments") if one.facts["stars"] == stars]
    return [dict(facts().at(ref) or {}) for ref in given]


def opinion(review: dict[str, str]) -> str:
    return next(one for one in sentences(review["review_content"]) if list(opinions(one, packaged())))


def planted(review: dict[str, str], **cells: str) -> list[str]:
    return list(incoherent_review({**review, **cells}, facts()))


@pytest.mark.parametrize("stars", ["1", "2", "3", "4", "5"])
def test_reviews_of_the_small_world_are_fine(stars: str) -> None:
    assert [problem for review in reviews(stars) for problem in planted(review)] == []


def test_praise_with_one_star_is_found() -> None:
    bad, good = reviews("1")[0], reviews("5")[0]
    text = bad["review_content"].replace(opinion(bad), opinion(good))

    found = planted(bad, review_content=text)

    assert "the words are positive_strong, the stars negative_strong" in found


def test_words_on_another_kind_of_product_are_found() -> None:
    review = reviews("5")[0]
    other = next(row for row in facts().all("products") if row["product_id"] != review["product_id"]
                 and kind_bought(row, facts()) != kind_bought(review, facts()))  # fmt: skip

    assert any("nobody says that" in one for one in planted(review, product_id=other["product_id"]))


def test_a_scene_of_another_kind_of_product_is_found() -> None:
    review = reviews("5")[0]
    kind = "yoga mat" if kind_bought(review, facts()) != "yoga mat" else "camping tent"
    scene = (
        kind_reviews(packaged(), kind)
        .scenes[0]
        .format(few="four", few_cap="Four", weekday="Monday", region="Goa", month="May")
    )

    assert any("does not happen" in one
               for one in planted(review, review_content=f"{review['review_content']} {scene}"))  # fmt: skip


def test_a_review_without_stars_or_opinion_is_found() -> None:
    review = reviews("3")[0]

    assert planted(review, review_content=opinion(review)) == [
        "the words are neutral_none, the stars missing"
    ]
    assert planted(review, review_content="Fine.") == ["it has 0 opinions"]


def test_each_part_of_each_product_has_words_for_all_stars() -> None:
    for entry in packaged().catalogue["kinds"]:
        known = kind_reviews(packaged(), entry["name"])
        assert known.parts.keys() == set(entry["parts"])
        assert all(known.phrases(part, band) for part in known.parts for band in BANDS.values())
        assert known.scenes
