"""What stands in an index's `index.json`: which model made it, over what, and the hashes of its files.

An index may come with a stranger's suite. So nothing here names an address or a path, and a model
that is not packaged is loaded only where the user has named it (see `check_model`).
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worksmith.retrievers.embedding import PACKAGED
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.strict_json import parse_json, read_regular

FORMAT = "worksmith-index/2"
MANIFEST = "index.json"
REINDEX = "build the index again with `worksmith index`"

ALLOWED = "WORKSMITH_EMBEDDERS"
"""The environment variable in which a user names other models that searches may load, commas between them."""


class _FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EmbeddedBy(_FrozenModel):
    """The model that made the vectors.

    Attributes:
        precision, agreement: see `IndexReport`.
    """

    name: str
    digest: str
    dimension: int
    precision: str
    agreement: float


class Entry(_FrozenModel):
    """What there is of one source.

    Attributes:
        digest: of the model and the documents.
        arrays: the name of its array files, without their endings.
        hashes: SHA-256 of these files, by ending: `npy` and `npz`.
        codes: SHA-256 of the files of codes, by ending; empty without any. They make searches fast
            and change no result.
    """

    documents: int
    passages: int
    digest: str
    arrays: Annotated[str, Field(pattern=r"^\w[\w-]*$")]
    hashes: dict[str, str]
    codes: dict[str, str] = Field(default_factory=dict)


class IndexManifest(_FrozenModel):
    """What is known of an index without reading it.

    Attributes:
        version: see `Library`.
        server: whether the vectors are on a Chroma server, whose address only the user gives.
    """

    format: Literal["worksmith-index/2"] = "worksmith-index/2"
    version: str
    server: bool
    embedder: EmbeddedBy
    collections: dict[str, Entry]

    @cached_property
    def digest(self) -> str:
        """Content address of all that searches find in it."""
        found = self.model_dump(
            mode="json",
            include={"embedder": True, "collections": True},
            exclude={"collections": {"__all__": {"codes"}}},
        )
        return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]

    def identity(self, source: str) -> dict[str, str]:
        """The metadata that the store's collection of `source` must have."""
        made_by = collection_metadata(self.embedder.name, self.embedder.digest)
        return {**made_by, "digest": self.collections[source].digest}


def collection_metadata(name: str, digest: str) -> dict[str, str]:
    """The metadata of a collection that a model made."""
    return {"format": FORMAT, "embedder": name, "embedder_digest": digest}


def read_manifest(directory: Path | None) -> IndexManifest | None:
    """The manifest of the index in `directory`; None without a finished one."""
    if directory is None or not (directory / MANIFEST).is_file():
        return None
    where = str(directory / MANIFEST)
    try:
        return IndexManifest.model_validate(parse_json(read_regular(directory / MANIFEST)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = f"{place}: {first['msg']}" if place else first["msg"]
        raise RetrievalError(f"cannot be read: {message}", where=where, hint=REINDEX) from error
    except (OSError, ValueError) as error:
        raise RetrievalError(f"cannot be read: {error}", where=where, hint=REINDEX) from error


def check_model(name: str, where: Path) -> None:
    """See that the model which the index in `where` names may be loaded."""
    if name in PACKAGED or (name and name in os.environ.get(ALLOWED, "").split(",")):
        return
    raise RetrievalError(
        f"the index names the model {name!r}, which does not come with worksmith",
        where=str(where / MANIFEST),
        hint=f"if you trust that model, set {ALLOWED}={name}, or index again with --embedder {PACKAGED[0]}",
    )
