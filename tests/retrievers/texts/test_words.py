"""Words, search and nearest texts in every script."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scripts import LANGUAGES, Language
from tests.tables import each_row
from worksmith.retrievers.index.collection import in_memory
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.retrievers.texts.documents import Document
from worksmith.retrievers.texts.words import codes, folded, terms, words

EVERY = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
ALL = [text for language in LANGUAGES.values() for text in (*language.known, *language.asked)]


def written(text: str) -> list[str]:
    """The text in forms that say the same."""
    return [text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text), text.upper()]


@EVERY
def test_each_request_finds_the_one_of_its_intent(language: Language) -> None:
    index = LexicalIndex({str(place): text for place, text in enumerate(language.known)})

    for place, text in enumerate(language.asked):
        assert {index.search(form, 1)[0].key for form in written(text)} == {str(place)}


@EVERY
def test_a_word_finds_just_the_text_that_has_it(language: Language) -> None:
    documents = [Document(str(place), text) for place, text in enumerate(language.known)]
    index = in_memory("kb", documents, "lexical")

    for form in written(language.word):
        assert [hit.key for hit in index.search(form, 5)] == ["0"]


def test_a_single_character_finds_the_runs_that_have_it() -> None:
    index = in_memory("kb", [Document("1", LANGUAGES["Chinese"].known[0]), Document("2", "鞋")], "lexical")

    assert {hit.key for hit in index.search("鞋", 5)} == {"1", "2"}


@given(st.lists(st.sampled_from(ALL) | st.text(max_size=20), max_size=4).map(" ".join))
def test_a_text_has_the_same_words_in_all_its_forms(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(text) == words(folded(text))
    assert set(words(text)) <= set(terms(text))
    # The word of another script at the end rules out every short cut.
    assert [*words(text), "中"] == words(f"{text} 中")


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_runs_of_letters_digits_and_underscores(text: str) -> None:
    assert words(text) == terms(text) == re.findall(r"\w+", text.lower())


@each_row(
    ("text", "found"),
    [
        ("Größe GRÖSSE", ["grösse", "grösse"]),
        ("\uff26ull ｶﾞ", ["full", "ガ"]),
        ("क्षत्रिय", ["क्षत्रिय"]),
        ("co\u00adoperate\u200b", ["cooperate"]),
        ("iPhone手机3号", ["iphone", "手", "机", "3", "号"]),
        ("คืนเงิน", ["คื", "น", "เ", "งิ", "น"]),
        ("👍🏽 ok 🇩🇪", ["👍", "ok", "🇩🇪"]),
    ],
)
def test_marks_stay_with_their_base_and_unseen_characters_do_not_count(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_codes_stand_within_any_script() -> None:
    assert codes("订单AB-1234在哪, see x9 and ДЖ_77.") == [["ab", "1234"], ["дж_77"]]
