from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from worksmith.retrievers.embedding.light import LightModel
from worksmith.retrievers.embedding.models import Embedder, open_embedder
from worksmith.retrievers.errors import RetrievalError

TEXTS = ["Feed the cat", "File the tax return, please!", "def f(x): return x", "", "Größe 42, ok?"]


class Counting:
    """An encoder that counts."""

    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        self.asked += texts
        return np.asarray([[1.0, 0.0]] * len(texts), dtype=np.float32)


@pytest.mark.parametrize("name", ["static", pytest.param("minilm", marks=pytest.mark.slow)])
def test_vectors_are_unit_and_the_same_each_time(name: str) -> None:
    embedder = open_embedder(name)

    together = embedder.embed(TEXTS)
    singly = np.stack([embedder.query(text) for text in TEXTS])

    assert (len(TEXTS), embedder.dimension) == together.shape
    assert np.array_equal(together, singly)
    lengths = np.linalg.norm(together, axis=1)
    assert np.allclose(lengths[[0, 1, 2, 4]], 1, atol=1e-5)


@pytest.mark.slow
def test_minilm_knows_meaning() -> None:
    embedder = open_embedder("minilm")
    cat, tax = embedder.embed(TEXTS[:2])

    query = embedder.query("Give the kitten something to eat")

    assert query @ cat > query @ tax + 0.2


def test_queries_are_remembered() -> None:
    encoder = Counting()
    embedder = Embedder("x", "d", encoder)  # type: ignore[arg-type]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(embedder.query, ["a"] * 50))
    asked = len(encoder.asked)
    embedder.query("a")

    assert asked <= 4
    assert asked == len(encoder.asked)


@pytest.mark.slow
def test_queries_import_no_framework() -> None:
    code = (
        "import sys; from worksmith.retrievers.embedding.models import open_embedder;"
        "open_embedder('minilm').query('x');"
        "sys.exit(any(name in sys.modules for name in ('torch', 'sentence_transformers', 'chromadb')))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_library_is_cheap_to_import() -> None:
    code = (
        "import sys; import worksmith.retrievers.index.library, worksmith.retrievers.texts.pdf; "
        "sys.exit('numpy' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_numpy_and_sentence_transformers_agree_in_both_precisions(monkeypatch: pytest.MonkeyPatch) -> None:
    from worksmith.retrievers.embedding import sentences
    from worksmith.retrievers.embedding.light import packaged

    model = sentences.SentenceModel(str(packaged()))
    texts = [*TEXTS, "The committee postponed the item until further notice. " * 60]
    ours, before = open_embedder("minilm").embed(texts), model.embed(texts)
    assert np.allclose(ours, before, atol=1e-5)

    with monkeypatch.context() as patch:
        patch.setattr(sentences, "_has_bfloat16", lambda: True)
        patch.setattr(sentences, "_LEAST_AGREEMENT", 1.5)
        model.halve()
    assert (model.precision, model.agreement) == ("float32", 1.0)
    assert np.array_equal(before, model.embed(texts))

    model.halve()
    assert model.agreement > 0.99
    assert ((ours * model.embed(texts)).sum(axis=1) > 0.99).all()


@pytest.mark.slow
def test_any_model_by_name_and_none_by_a_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from worksmith.retrievers.embedding.light import packaged

    named = open_embedder(str(packaged()))
    assert np.allclose(named.query(TEXTS[0]), open_embedder("minilm").query(TEXTS[0]), atol=1e-5)
    assert named.digest != open_embedder("minilm").digest

    with pytest.raises(RetrievalError, match="cannot be loaded"):
        open_embedder("/no/such/model")


@pytest.mark.parametrize(
    "content", [None, "", "[]", '{"model_type": "bert", "model_type": "bert"}', "\ud800"]
)
def test_settings_of_a_model_that_cannot_be_read_are_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "config.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(RetrievalError, match=r"config\.json"):
        LightModel(tmp_path)
