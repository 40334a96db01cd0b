from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.retrievers.texts.chunks import MOST, passages_of, pieces_in

_PARTS = ["word ", "a longer sentence. ", "\n", "x" * 900, "def f(a_b): ", "é ", "漢字"]


@given(
    st.lists(
        st.sampled_from(["word ", "a longer sentence. ", "\n", "x" * 900, "def f(a_b): ", "é ", "漢字"]),
        max_size=400,
    )
)
def test_no_text_is_lost_and_no_passage_too_long(parts: list[str]) -> None:
    text = "".join(parts)

    passages = passages_of(text, most=10_000)

    assert "".join(text.split()) == "".join("".join(passages).split())
    assert all(pieces_in(passage) <= 210 for passage in passages)


def test_a_short_text_is_one_passage_even_an_empty_one() -> None:
    assert passages_of(" hello there\n") == ["hello there"]
    assert passages_of("") == [""]


def test_long_texts_break_between_lines_and_are_cut_off() -> None:
    lines = [f"line {number} says something about a different subject of the day" for number in range(300)]

    passages = passages_of("\n".join(lines))

    assert len(passages) == MOST
    assert all(passage.startswith("line ") and passage.endswith("day") for passage in passages)


@pytest.mark.slow
def test_the_model_reads_passages_whole() -> None:
    from worksmith.retrievers.embedding.light import packaged, tokenizer

    model = tokenizer(packaged())
    model.no_truncation()
    text = " ".join(
        f"The committee postponed item {number} (see REF-{number * 7}) until further notice."
        for number in range(80)
    )

    assert max(len(encoding.ids) for encoding in model.encode_batch(passages_of(text, 100))) <= 256
