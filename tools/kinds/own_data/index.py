"""Search over a user's tables: the text of a record, and the indexes beside the world."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from worksmith.retrievers.texts.words import WORDS
from worksmith.tools.access.search import Searched
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.cells import cell_text
from worksmith.tools.sqlite.schema import Table

if TYPE_CHECKING:
    from worksmith.retrievers.index.library import Library
    from worksmith.retrievers.texts.documents import Document
    from worksmith.tools.world import World


def searched(table: Table, template: str) -> Searched:
    """The searched text of a table.

    Args:
        template: the text of a record, with its columns in braces.
    """
    where = f"index of {table.name}"
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise InputError(f"no template: {error}", where=where, hint="write columns as {title}") from error
    columns = tuple(dict.fromkeys(name for _, name, _, _ in parts if name is not None))
    strange = [name for name in columns if name not in table.columns]
    if strange or any(form or conversion for _, _, form, conversion in parts):
        named = f"{{{strange[0]}}}" if strange else template
        raise InputError(f"{named} is no column", where=where, hint=f"there are {', '.join(table.columns)}")
    if not columns:
        raise InputError("the text names no column", where=where, hint=f"such as {{{table.columns[0]}}}")

    def text_of(row: Mapping[str, Any]) -> str:
        shown = table.shown({column: row[column] for column in columns})
        return template.format_map({column: cell_text(value) for column, value in shown.items()})

    return Searched(columns, text_of)


def open_library(
    world: World,
    tables: Mapping[str, Table],
    keys: Mapping[str, str],
    texts: Mapping[str, Searched],
    templates: Mapping[str, str],
    embedder: str | None,
    *,
    live: bool = False,
) -> Library | None:
    """The search indexes of a world: by words in memory, with an embedder by vectors, too.

    Vectors are made at the first time, in a folder beside the world, and kept.

    Args:
        keys: the key of each table.
        embedder: name of the model of the vectors; None for words alone.
        live: the tables change, so that all their worlds share one index, in which changed rows alone are
            embedded again.

    Raises:
        RetrievalError: the model cannot be used.
    """
    from worksmith.retrievers.index.library import Library

    if not texts:
        return None
    documents = {
        name: partial(_documents, world, tables[name], keys[name], text) for name, text in texts.items()
    }
    version = digest([world.manifest.digest, dict(templates), WORDS])
    if embedder is None:
        return Library(None, documents, version=version)
    from worksmith.retrievers.index.building import build_index

    folder = world.path / f"index-{digest([version, embedder])}"
    if live:
        shape = [[table.ddl() for table in tables.values()], dict(templates), embedder]
        folder = world.path.parent / f"index-{digest(shape)}"
    with FileLock(f"{folder}.lock"):
        library = Library(folder, documents, version=version)
        if not library.indexed or live:
            build_index(folder, documents, embedder=embedder, version=version)
            library = Library(folder, documents, version=version)
        if live:  # loaded before another process, or a later world, changes the files
            for source in library.sources:
                library.collection(source)
    return library


def _documents(world: World, table: Table, key: str, text: Searched) -> Iterator[Document]:
    """The documents of a table of the unchanged world, in the order of its rows."""
    from worksmith.retrievers.texts.documents import Document

    columns = tuple(dict.fromkeys((key, *text.columns)))
    for row in world.rows(table.name, columns):
        if row[key] is not None:
            yield Document(str(row[key]), text.text_of(row))
