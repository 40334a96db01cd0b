"""The files, fields and columns of each source of the published system, from `fields.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.importing.cells import READERS, Read, numbered


@dataclass(frozen=True)
class Field:
    """A column and its names in the files.

    Attributes:
        read: gives the world's text of a value.
    """

    column: str
    names: tuple[str, ...]
    read: Read


def _field(column: str, entry: str | Mapping[str, Any]) -> Field:
    given = {"cell": entry} if isinstance(entry, str) else entry
    names = tuple(given.get("names", (column,)))
    if "ids" in given:
        return Field(column, names, numbered(given["ids"]))
    return Field(column, names, READERS[given.get("cell", "text")])


_SOURCES = read_toml(__package__, "fields.toml")

FIELDS: dict[str, tuple[Field, ...]] = {
    source: tuple(_field(column, given) for column, given in entry.get("columns", {}).items())
    for source, entry in _SOURCES.items()
}
FILES: dict[str, tuple[str, ...]] = {
    source: tuple(entry["files"]) for source, entry in _SOURCES.items() if "files" in entry
}
CURRENCIES: dict[str, str] = {
    source: entry["currency"] for source, entry in _SOURCES.items() if "currency" in entry
}
PEOPLE: dict[str, tuple[str, ...]] = {
    source: tuple(entry["people"]) for source, entry in _SOURCES.items() if "people" in entry
}
LINKS: dict[str, dict[str, str]] = {
    source: entry["links"] for source, entry in _SOURCES.items() if "links" in entry
}
