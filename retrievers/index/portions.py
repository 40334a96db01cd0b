"""Portions of documents: the passages that are embedded and stored at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.index.store import Passage
from worksmith.retrievers.texts.chunks import MOST, passages_of
from worksmith.retrievers.texts.documents import Document

_SIZE = 512
"""The passages of a portion, at least; a killed run loses one portion of work."""

Portion = list[tuple[Document, list[str]]]
"""Documents with their passages."""


def portions(documents: Sequence[Document]) -> Iterator[Portion]:
    """The documents in portions of similar length, so that batches have little padding."""
    portion: Portion = []
    size = 0
    for document in sorted(documents, key=lambda document: (len(document.text), document.key)):
        passages = passages_of(document.text, MOST)
        portion.append((document, passages))
        size += len(passages)
        if size >= _SIZE:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def numbered(portion: Portion, vectors: NDArray[np.float32]) -> Iterator[Passage]:
    """The passages of a portion with their numbers and vectors.

    Args:
        vectors: one row for each passage, in order.
    """
    rows = iter(vectors)
    for document, passages in portion:
        for number in range(len(passages)):
            yield Passage(document, number, len(passages), next(rows))
