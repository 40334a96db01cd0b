"""Late interaction, an optional extra: pages as one vector a token, or a patch of their picture.

For documents whose layout matters or whose details a single vector blurs. Models (ColBERT and its kin for
text, ColPali and its kin for pictures of pages) are loaded through sentence-transformers; none is packaged.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrievers.errors import PdfError, RetrievalError
from retrievers.ranking.hits import Hit, best

Matrix = NDArray[np.float32]

EXTRA = "pip install 'worksmith[late]'"

_DOTS = 110
"""Of a page's picture, an inch: an A4 page is scaled down to less than this by all models of the kind."""


class Page(NamedTuple):
    """A page, as its text or its picture."""

    key: str
    content: Any


class LateModel:
    """A multi-vector model by name. Thread-safe; calls wait for each other.

    Args:
        name: a folder, or a model's name.
        download: whether a model that is not on this machine may be downloaded.

    Raises:
        RetrievalError: sentence-transformers is too old for such models, or this one cannot be loaded.
    """

    def __init__(self, name: str, device: str = "cpu", *, download: bool = False) -> None:
        try:
            from sentence_transformers import MultiVectorEncoder
        except ImportError as error:
            raise RetrievalError("late interaction is not installed", where=name, hint=EXTRA) from error
        try:
            self._model = MultiVectorEncoder(
                name, device=device, local_files_only=not download, trust_remote_code=False
            )
        except Exception as error:  # the libraries below raise anything
            reason = str(error).strip().partition("\n")[0]
            raise RetrievalError(f"cannot be loaded: {reason}", where=name) from error
        self._lock = threading.Lock()

    def query(self, text: str) -> Matrix:
        """A unit row for each token of a query."""
        with self._lock:
            return _unit_rows(self._model.encode_query([text], show_progress_bar=False)[0])

    def pages(self, contents: Sequence[Any]) -> list[Matrix]:
        """For each page, a text or a picture, a unit row for each of its tokens or patches."""
        with self._lock:
            encoded = self._model.encode_document(list(contents), batch_size=4, show_progress_bar=False)
        return [_unit_rows(rows) for rows in encoded]


class LateIndex:
    """Pages ranked by late interaction. Immutable.

    Args:
        pages: in any order; two with one key are two pages of a document, which the better one stands for.
    """

    def __init__(self, model: LateModel, pages: Sequence[Page]) -> None:
        self._model = model
        ordered = sorted(pages, key=lambda page: page.key)
        self._keys = [page.key for page in ordered]
        self._rows = model.pages([page.content for page in ordered])

    def search(self, text: str, k: int, *, allowed: frozenset[str] | None = None) -> list[Hit]:
        """The `k` best keys, ties by key, none but the `allowed`; None allows all."""
        places = [n for n, key in enumerate(self._keys) if allowed is None or key in allowed]
        scores = max_sim(self._model.query(text), [self._rows[place] for place in places])
        found: dict[str, float] = {}
        for place in best(scores, len(places)).tolist():
            found.setdefault(self._keys[places[place]], float(scores[place]))
        return [Hit(key, score) for key, score in list(found.items())[:k]]


def max_sim(query: Matrix, pages: Sequence[Matrix]) -> NDArray[np.float64]:
    """For each page: over the rows of the query, the sum of the greatest product with any of its rows."""
    scores = np.zeros(len(pages))
    filled = [place for place, rows in enumerate(pages) if len(rows)]
    if filled and len(query):
        lengths = [len(pages[place]) for place in filled]
        products = query @ np.concatenate([pages[place] for place in filled]).T
        firsts = np.cumsum([0, *lengths[:-1]])
        scores[filled] = np.maximum.reduceat(products, firsts, axis=1).sum(axis=0)
    return scores.round(5)


def page_images(file: Path | str) -> list[Any]:
    """A picture of each page of a PDF, for models that read pages by their looks.

    Raises:
        RetrievalError: the extra that draws pages is not installed.
        PdfError: the file cannot be drawn.
    """
    try:
        import pypdfium2
    except ImportError as error:
        raise RetrievalError("drawing pages is not installed", where=str(file), hint=EXTRA) from error
    try:
        document = pypdfium2.PdfDocument(str(file))
        try:
            return [page.render(scale=_DOTS / 72).to_pil() for page in document]
        finally:
            document.close()
    except (OSError, pypdfium2.PdfiumError) as error:
        raise PdfError(f"cannot be drawn: {error}", where=str(file)) from error


def _unit_rows(rows: Any) -> Matrix:
    matrix: Matrix = rows.detach().cpu().float().numpy() if hasattr(rows, "detach") else np.asarray(rows)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)
