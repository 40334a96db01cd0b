"""Checks of a vector store's files before Chroma opens them: the files may come from a stranger."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.manifest import REINDEX
from worksmith.retrievers.strict_json import parse_json

_DATABASE = "chroma.sqlite3"


class StoreError(RetrievalError):
    """The store failed: it is damaged, or its server does not answer."""


def check_store(folder: Path) -> None:
    """Check the files of a local store.

    Raises:
        StoreError: the store is damaged, names an embedding model, or holds statements.
    """
    _check_regular(folder)
    _check_database(folder / _DATABASE)


def _check_regular(folder: Path) -> None:
    """See that Chroma meets files and folders only: it would wait for a FIFO for ever, deaf to signals."""
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for path in (Path(place) / name for name in (*links, *files)):
            if not path.is_file():
                message = "the vector store is damaged: not a regular file"
                raise StoreError(message, where=str(path), hint=REINDEX)


def _check_database(file: Path) -> None:
    """Have SQLite look at Chroma's database first: a damaged one can end the whole process in there.

    A database may also come from a stranger, and Chroma makes any embedding model that the settings of a
    collection name, with the options that they name. We hand it vectors and never have it embed anything.
    """
    if not file.exists():
        return
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if said == "ok":
                said = _foreign(connection) or said
    except (sqlite3.Error, UnicodeError, ValueError) as error:
        said = str(error)
    if said != "ok":
        raise StoreError(f"the vector store is damaged: {said}", where=str(file), hint=REINDEX)


def _foreign(connection: sqlite3.Connection) -> str:
    """The foreign part of a database; empty without one."""
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_master").fetchall())
    if strange := sorted(name for name, kind in kinds.items() if kind in ("trigger", "view")):
        return f"it has a {kinds[strange[0]]}, {strange[0]}"
    if "collections" not in kinds:
        return ""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(collections)").fetchall()]
    for column in sorted({"config_json_str", "schema_str"}.intersection(columns)):
        for (text,) in connection.execute(f"SELECT {column} FROM collections").fetchall():
            if text and _names_model(parse_json(str(text).encode())):
                return "a collection names an embedding model"
    return ""


def _names_model(settings: Any) -> bool:
    """Whether settings of a collection name an embedding model; Chroma has other marks for a missing one."""
    if isinstance(settings, list):
        return any(map(_names_model, settings))
    if not isinstance(settings, dict):
        return False
    model = settings.get("embedding_function")
    named = model is not None and model not in ({"type": "legacy"}, {"type": "unknown"})
    return named or any(map(_names_model, settings.values()))
