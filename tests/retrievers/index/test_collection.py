"""Whatever is left out, changed or gone: a search gives what an index over just the rest would give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.retrievers.embedding.models import open_embedder
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.collection import Collection, Mode, in_memory
from worksmith.retrievers.ranking.exact import ExactVectors
from worksmith.retrievers.ranking.words import WordIndex, index_words
from worksmith.retrievers.texts.documents import Document

TEXTS = {
    "m1": "The kettle was refunded after two weeks",
    "m2": "Refund the blue kettle, please",
    "m3": "Quarterly budget of the sales team",
    "m4": "parse_date fails on leap years",
}
_WORDS = st.sampled_from(
    ["kettle", "refund", "budget", "team", "leap", "year", "blue", "parse_date", "AB-31", "AB-32"]
)
_TEXT = st.lists(_WORDS, min_size=0, max_size=6).map(" ".join)
_KEY = st.sampled_from([f"k{number}" for number in range(12)])


def collection(texts: dict[str, str], mode: Mode = "hybrid") -> Collection:
    embedder = open_embedder("static")
    keys = sorted(texts)
    matrix = embedder.embed([texts[key] for key in keys]) if keys else np.empty((0, 384), dtype=np.float32)
    words = WordIndex(index_words([texts[key] for key in keys]))
    vectors = ExactVectors(matrix, np.arange(len(keys), dtype=np.int32))
    return Collection("mail", keys, words, mode, vectors, lambda: embedder)


@given(
    texts=st.dictionaries(_KEY, _TEXT, max_size=10),
    hidden=st.sets(_KEY, max_size=6),
    changed=st.dictionaries(_KEY, _TEXT, max_size=3),
    gone=st.sets(_KEY, max_size=3),
    query=_TEXT,
    k=st.integers(1, 12),
    mode=st.sampled_from(["hybrid", "vector", "lexical"]),
)
def test_hidden_changed_and_gone_records_are_as_in_an_index_made_without_them(
    texts: dict[str, str],
    hidden: set[str],
    changed: dict[str, str],
    gone: set[str],
    query: str,
    k: int,
    mode: Mode,
) -> None:
    visible = {key: text for key, text in texts.items() if key not in hidden}
    fresh = {key: text for key, text in changed.items() if key in visible or key not in texts}
    there = {key: text for key, text in (visible | fresh).items() if key not in gone}

    index = collection(texts)
    found = index.search(query, k, allowed=index.mask(visible), changed=changed, gone=gone, mode=mode)

    expected = collection(there).search(query, k, mode=mode)
    assert [hit.key for hit in expected] == [hit.key for hit in found]
    assert np.allclose([hit.score for hit in expected], [hit.score for hit in found], atol=1e-5)


def test_ties_go_by_key_and_nothing_matching_finds_nothing_by_words() -> None:
    index = collection({"b": "same text", "a": "same text", "c": "other"}, "lexical")

    assert [hit.key for hit in index.search("same", 5)] == ["a", "b"]
    assert index.search("zebra", 5) == []
    assert collection({}).search("anything", 5) == []


def test_the_parts_of_names_and_forms_of_words_are_found() -> None:
    index = collection(TEXTS, "lexical")

    assert [hit.key for hit in index.search("parse a date", 5)] == ["m4"]
    assert {"m1", "m2"} == {hit.key for hit in index.search("refunds for kettles", 5)}


def test_a_code_finds_the_record_that_has_it() -> None:
    texts = {f"m{n:02}": f"The job stopped with RPT-{6700 + n} after the restart" for n in range(40)}
    index = collection(texts | {"long": "RPT " + "the job stopped after the restart " * 9 + "6789 RPT-6789"})
    for query in ("RPT-6789", "the job stopped with RPT-6789 after the restart"):
        assert "long" in [hit.key for hit in index.search(query, 3)]
    assert [hit.key for hit in index.search("RPT-6712", 1)] == ["m12"]


def test_vectors_need_an_index() -> None:
    index = in_memory("mail", [Document("m1", "text")], "lexical")

    with pytest.raises(RetrievalError, match="no vectors"):
        index.search("text", 1, mode="vector")
    assert [hit.key for hit in index.search("text", 1)] == ["m1"]


def test_two_documents_with_one_key_are_refused() -> None:
    with pytest.raises(RetrievalError, match="the key 'm1'"):
        in_memory("mail", [Document("m1", "a"), Document("m1", "b")], "lexical")
