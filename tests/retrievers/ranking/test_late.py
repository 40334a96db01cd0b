from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.errors import PdfError, RetrievalError
from retrievers.ranking.late import LateIndex, LateModel, Matrix, Page, max_sim, page_images


class Letters:
    """A model whose tokens are letters."""

    def query(self, text: str) -> Matrix:
        return np.asarray([np.eye(26, dtype=np.float32)[ord(letter) - 97] for letter in text])

    def pages(self, contents: list[str]) -> list[Matrix]:
        return [self.query(text) for text in contents]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(0, 5), max_size=6), st.integers(1, 4))
def test_scores_are_those_of_the_definition(seed: int, lengths: list[int], tokens: int) -> None:
    draw = np.random.default_rng(seed)
    query = draw.normal(size=(tokens, 3)).astype(np.float32)
    pages = [draw.normal(size=(length, 3)).astype(np.float32) for length in lengths]

    expected = [
        sum(max(float(row @ token) for row in page) for token in query) if len(page) else 0.0
        for page in pages
    ]

    assert np.allclose(expected, max_sim(query, pages), atol=1e-4)


def test_ranks_documents_by_their_best_page_and_only_the_allowed() -> None:
    pages = [Page("b", "cat"), Page("a", "dog"), Page("a", "cart"), Page("c", "zzz")]
    index = LateIndex(Letters(), pages)  # type: ignore[arg-type]

    assert [hit.key for hit in index.search("cart", 5)] == ["a", "b", "c"]
    assert [hit.key for hit in index.search("zat", 5, allowed=frozenset("bc"))][::-1] == ["c", "b"]
    assert index.search("cart", 5, allowed=frozenset()) == []


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    pytest.importorskip("pypdfium2")
    for file in ("bad.pdf", "none.pdf"):
        with pytest.raises(PdfError, match=file):
            page_images(tmp_path / file)

    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(RetrievalError, match=r"worksmith\[late\]"):
        page_images(tmp_path / "bad.pdf")


def test_pages_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    fpdf = pytest.importorskip("fpdf")
    document = fpdf.FPDF()
    document.add_page()
    document.set_font("helvetica", size=40)
    document.cell(0, 20, "Leave rules")
    document.add_page()
    document.output(str(tmp_path / "leave.pdf"))

    first, second = page_images(tmp_path / "leave.pdf")

    assert first.size == second.size
    assert len(first.convert("L").getcolors()) > len(second.convert("L").getcolors()) == 1


@pytest.mark.slow
def test_a_model_is_loaded_and_finds_by_tokens(tmp_path: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    if not hasattr(sentence_transformers, "MultiVectorEncoder"):
        pytest.skip("this sentence-transformers has no multi-vector models")
    from retrievers.embedding.light import packaged

    # No such model is packaged; the packaged one's transformer gives token vectors of the same shape.
    sentence_transformers.MultiVectorEncoder(str(packaged()), device="cpu").save(str(tmp_path / "model"))
    pages = [Page("tax", "File the tax return by April"), Page("cat", "Feed the cat and clean its box")]
    index = LateIndex(LateModel(str(tmp_path / "model")), pages)

    assert [hit.key for hit in index.search("food for the cat", 2)] == ["cat", "tax"]
    with pytest.raises(RetrievalError, match="cannot be loaded"):
        LateModel(str(tmp_path / "nothing"))
