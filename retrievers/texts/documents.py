"""The indexed documents: one text a record, with the fields that access rules look at."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.texts.words import WORDS


@dataclass(frozen=True, slots=True)
class Document:
    """A record as search sees it.

    Attributes:
        key: identifies it within its source.
        text: the searched text.
        fields: kept beside its vectors in the store, so that the store itself can filter by them.
    """

    key: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


Documents = Mapping[str, Callable[[], Iterable[Document]]]
"""The documents of each source, made when they are needed."""


def by_key(source: str, documents: Iterable[Document]) -> dict[str, Document]:
    """The documents by key, keys in order."""
    found: dict[str, Document] = {}
    for document in documents:
        if document.key in found:
            raise RetrievalError(f"two documents have the key {document.key!r}", where=source)
        found[document.key] = document
    return dict(sorted(found.items()))


def fingerprint(document: Document) -> str:
    """Content address of all that an index keeps of a document."""
    parts = [document.key, document.text]
    parts += [part for pair in sorted(document.fields.items()) for part in pair]
    return digest_of(parts)


def index_digest(model: str, fingerprints: Iterable[str]) -> str:
    """Content address of an index: of its model, the definition of a word, and its documents."""
    return digest_of([model, str(WORDS), *fingerprints])


def digest_of(parts: Iterable[str]) -> str:
    """Content address of texts in order; where one ends and the next begins counts."""
    content = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        content.update(len(data).to_bytes(8, "little"))
        content.update(data)
    return content.hexdigest()
