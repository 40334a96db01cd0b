from __future__ import annotations

import tracemalloc
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.retrievers.ranking.abstraction import abstract
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.seeding import rng

TEXTS = {
    "cancel-1": "Cancel the meeting with Ann on December 4",
    "cancel-2": "Please drop my call with Bob Stone on 2023-12-05.",
    "rename-1": "Rename the meeting called 'Budget' to 'Planning'",
    "mail-1": "Send Ann an email titled 'Budget' saying 'See you on Monday'",
    "mail-2": "Forward the latest message from Carla to Dan",
    "plot-1": "Plot total visits since October 3 as a bar chart",
}


@each_row(
    ("one", "other"),
    [
        ("Meet Ann Lee on December 4", "Meet Bob on 2023-12-04"),
        ("Send it at 3:30 to ann@atlas.com", "Send it at 14:00 to bob.stone@example.org"),
        ("titled 'Ann's plan'", 'titled "Budget"'),
        ("titled \u2018Budget\u2019", "titled 'Plan'"),
        ("if it grew by 5%", "if it grew by 12.5 percent"),
        ("kofi's tasks", "Ann's tasks"),
        ("Cancel the meetings", "Delete the event"),
        ("Cancel all future calls", "Cancel every upcoming calls"),
        ("the most recent mail", "the latest email"),
        ("on Monday", "on friday"),
    ],
)
def test_slot_values_and_synonyms_do_not_matter(one: str, other: str) -> None:
    assert abstract(one) == abstract(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cancel the first meeting", "Cancel the last meeting"),
        ("I can't come", "I come"),
        ("more than 5", "less than 5"),
    ],
)
def test_what_is_asked_does_matter(one: str, other: str) -> None:
    assert abstract(one) != abstract(other)


def test_the_same_intent_is_nearer_than_the_same_name() -> None:
    hits = LexicalIndex(TEXTS).search("Cancel the meeting with Carla on Friday", 2)

    assert [hit.key for hit in hits] == ["cancel-1", "cancel-2"]


def test_names_that_open_a_sentence_are_known_from_the_others() -> None:
    texts = {"1": "Is Kofi late? Ask Kofi.", "2": "Move the call with Mira to noon"}
    one = LexicalIndex(texts).search("Kofi is late", 1)[0].score

    assert LexicalIndex(texts).search("Mira is late", 1)[0].score == one


def test_kin_lend_each_other_their_words() -> None:
    texts = {
        "1": "Drop the call with Ann",
        "2": "Bob will not come, act on it",
        "3": "Bob will not pay, act on it",
    }
    query = "Drop the call with Carla"
    alone, akin = LexicalIndex(texts), LexicalIndex(texts, {"1": "delete", "2": "delete", "3": "add"})

    assert [hit.score for hit in alone.search(query, 3)][1:] == [0.0, 0.0]
    assert [hit.key for hit in akin.search(query, 2)] == ["1", "2"]
    assert akin.search(query, 2)[1].score > 0


def test_a_text_that_says_what_its_kin_say_is_like_itself() -> None:
    texts = {"1": TEXTS["plot-1"], "2": TEXTS["plot-1"], "3": TEXTS["mail-1"]}
    hits = LexicalIndex(texts, {"1": "plot", "2": "plot"}).search(TEXTS["plot-1"], 3)

    assert [(hit.key, hit.score) for hit in hits[:2]] == [("1", 1.0), ("2", 1.0)]


def test_the_words_of_kin_are_kept_once() -> None:
    draw = rng(0, "texts")
    texts = {
        f"{number}": " ".join("".join(draw.choices("abcdefgh", k=6)) for _ in range(8))
        for number in range(100)
    }

    assert _bytes(texts, dict.fromkeys(texts, "same")) < 2 * _bytes(texts, {})


def _bytes(texts: Mapping[str, str], kin: Mapping[str, str]) -> int:
    tracemalloc.start()
    LexicalIndex(texts, kin)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_excluded_keys_are_not_found() -> None:
    hits = LexicalIndex(TEXTS).search(TEXTS["cancel-1"], 10, exclude=["cancel-1"])

    assert "cancel-1" not in [hit.key for hit in hits]
    assert len(hits) == len(TEXTS) - 1


def test_ties_go_by_key() -> None:
    index = LexicalIndex({"b": "one thing", "a": "one thing", "c": "another"})

    assert [hit.key for hit in index.search("one thing", 3)] == ["a", "b", "c"]


def test_without_a_word_in_common_characters_decide_and_else_what_stands_for_the_others() -> None:
    texts = {"a": "open the door", "b": "renew licences", "c": "renew licences", "d": "shut the door"}
    index = LexicalIndex(texts)

    assert not index.shares_words("relicensed doorway")
    assert index.search("relicensed", 1)[0].key == "b"
    assert index.search("doorway", 1, exclude=["a"])[0].key == "d"
    for nothing in ("", "退款", "zq"):
        assert [hit.key for hit in index.search(nothing, 2)] == ["b", "a"]


@given(st.text(), st.dictionaries(st.text(max_size=3), st.text(max_size=60), max_size=6))
def test_any_text_can_be_indexed_and_asked(query: str, texts: dict[str, str]) -> None:
    hits = LexicalIndex(texts).search(query, 3)

    assert len(hits) == min(3, len(texts))
    assert all(0 <= hit.score <= 1.000001 for hit in hits)
    assert hits == LexicalIndex(dict(reversed(texts.items()))).search(query, 3)


@given(st.sampled_from(sorted(TEXTS)))
def test_a_text_is_nearest_to_itself(key: str) -> None:
    assert LexicalIndex(TEXTS).search(TEXTS[key], 1)[0].key == key


def test_similarities_are_symmetric_and_one_on_the_diagonal() -> None:
    table = list(LexicalIndex(TEXTS).similarities())

    for place, row in enumerate(table):
        assert row[place] == pytest.approx(1.0)
        assert row == pytest.approx([other[place] for other in table])
