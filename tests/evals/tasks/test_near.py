"""Near duplicates among texts."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.scripts import LANGUAGES
from worksmith.evals.tasks.near import NEAR, NearTexts

WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=25).map(" ".join)


def pieces(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3))}


def alike(one: str, other: str) -> float:
    return len(pieces(one) & pieces(other)) / len(pieces(one) | pieces(other))


@given(st.lists(WORDS, max_size=8), WORDS, st.data())
def test_the_search_finds_what_a_comparison_with_each_text_finds(
    texts: list[str], text: str, data: st.DataObject
) -> None:
    words = text.split()
    place = data.draw(st.integers(0, len(words)))
    texts.append(" ".join([*words[:place], data.draw(st.sampled_from("abcxyz")), *words[place:]]))
    best = max(alike(text, other) for other in texts)

    found = NearTexts((str(number), other) for number, other in enumerate(texts)).nearest(text)

    assert (found is not None) == (best >= NEAR)
    assert found is None or (found[1] == best and alike(text, texts[int(found[0])]) == best)


def test_a_text_of_any_script_is_near_to_itself_in_other_forms_and_to_no_other() -> None:
    texts = [
        (f"{name} {place}", text) for name, one in LANGUAGES.items() for place, text in enumerate(one.known)
    ]
    near = NearTexts(texts)

    for name, text in texts:
        assert near.nearest(unicodedata.normalize("NFD", f"「{text}」。")) == (name, 1.0)
    assert not any(near.nearest(text) for one in LANGUAGES.values() for text in one.asked)
    assert NearTexts([("1", "???")]).nearest("!!!") is None


def test_numbers_and_names_count_and_case_and_marks_do_not() -> None:
    near = NearTexts(
        [("a", "Delete the first meeting with Kim on May 4, and tell all of the others about it.")]
    )

    assert near.nearest("delete the first meeting with kim on May 4 and tell all of the others about it!")
    assert (
        near.nearest("Delete the first meeting with Bo on May 5, and tell all of the others about it.")
        is None
    )
    assert NearTexts([]).nearest("anything") is None
