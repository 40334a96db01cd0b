"""The Python file and the rules of a new project over existing data."""

from __future__ import annotations

import json
import keyword
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from worksmith.retrievers.texts.words import composed
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.kinds.own_data.sources.nouns import singular
from worksmith.tools.kinds.own_data.sources.reading import portions
from worksmith.tools.kinds.own_data.sources.tables import ENDINGS, SourceTable, read_tables
from worksmith.tools.sqlite.cells import CellType

_TYPES: Mapping[CellType, str] = {
    "text": "str",
    "integer": "int",
    "real": "float",
    "boolean": "bool",
    "json": "list | dict",
}
_EXPECTED = frozenset(("answer", "answers", "reference", "changes", "calls", "plan"))
"""Fields of a request's expectation."""

_NULLS = frozenset(("NULL", "\\N"))
_TYPED = re.compile(
    r"\s*(-?[\d.,]+([eE][+-]?\d+)?|\d{4}-\d\d-\d\d.*|true|false)\s*", re.ASCII | re.IGNORECASE
)
_OTHER = "other"
# A name in another language may mean anything: all texts of such names are searched.
_TEXTS = ("title", "subject", "name", "summary", "text", "body", "description", "content", "notes")


def write_environment(
    data: Path, folder: Path, keys: Mapping[str, Sequence[str]], nulls: Sequence[str]
) -> None:
    """Write `environment.py` and `policy.json` for the tables in a folder of files.

    Args:
        data: the folder with the files. One of tasks is left out: agents must not read their answers.
        folder: of the project; the Python file names the data by relative paths.
        keys: by table the columns that identify a row together; else one is inferred.
        nulls: cells of CSV files that are empty, beside those that look so.
    """
    import jinja2

    if not data.is_dir():
        raise InputError("no such folder of data", where=str(data))
    found = sorted(file for file in data.iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
    sources: dict[str, Path] = {}
    for file in found:
        if _is_of_tasks(file):
            warnings.warn(Notice(f"{file} is left out: it has tasks with what is right"), stacklevel=2)
        elif (other := sources.setdefault(_name(file), file)) != file:
            raise InputError(
                f"{other.name} gives a table of the same name", where=str(file), hint="rename one"
            )
    if not sources:
        raise InputError("no tables here", where=str(data), hint=f"files end in {', '.join(ENDINGS)}")
    nulls = sorted(set(nulls).union(*map(_nulls, read_tables(sources))))
    read = read_tables(sources, keys=keys, nulls=nulls)
    tables = [_described(table) for table in read]
    template = files("worksmith.tools.kinds.own_data").joinpath("environment.txt").read_text(encoding="utf-8")
    text = jinja2.Template(template).render(
        sources={
            name: json.dumps(os.path.relpath(file.resolve(), folder.resolve()), ensure_ascii=False)
            for name, file in sources.items()
        },
        tables=tables,
        now=f"{datetime.now():%Y-%m-%d} 09:00",
        keys=json.dumps({table["name"]: table["chosen_key"] for table in tables}, ensure_ascii=False),
        nulls=json.dumps(nulls) if nulls else "",
    )
    (folder / "environment.py").write_text(text.rstrip() + "\n", encoding="utf-8")
    allowed = {"id": "all", "operations": ["read", "create", "update", "delete"], "when": {"always": True}}
    rules = {
        "note": "Everybody may do everything: write rules of your own.",
        "sources": {t["name"]: {"rules": [allowed | {"id": f"all-{t['name']}"}]} for t in tables},
    }
    (folder / "policy.json").write_text(json.dumps(rules, indent=2) + "\n", encoding="utf-8")


def _name(file: Path) -> str:
    """The name of a file's table."""
    stem = composed(file.stem.lower())
    name = "".join(letter if f"_{letter}".isidentifier() else "_" for letter in stem).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"table_{name}"


def _is_of_tasks(file: Path) -> bool:
    """Whether a file has requests with expectations."""
    if file.suffix.lower() not in (".jsonl", ".ndjson", ".csv", ".tsv"):
        return False
    return any(
        "query" in table.columns and _EXPECTED & {*table.columns} for table in read_tables({"it": file})
    )


def _nulls(table: SourceTable) -> set[str]:
    """The spellings of nothing in columns whose other cells are numbers, dates or booleans."""
    if not table.reading.lexical:
        return set()
    seen: dict[int, set[str]] = {}
    for portion in portions(table.reading):
        for place, cells in enumerate(portion.columns):
            others = {str(cell) for cell in cells} - {""}
            seen.setdefault(place, set()).update(others & _NULLS)
            if not all(map(_TYPED.fullmatch, others - _NULLS)):
                seen[place].add(_OTHER)
    return set().union(*(found for found in seen.values() if _OTHER not in found))


def _described(table: SourceTable) -> dict[str, Any]:
    parts = table.reading.parts
    types, key = table.profile.types, table.profile.key
    fields = [(column, _TYPES[types[column]]) for column in table.columns if _is_argument(column)]
    texts = [c for c in table.columns if types[c] == "text" and (c.lower() in _TEXTS or not c.isascii())]
    return {
        "name": table.name,
        "singular": singular(table.name),
        "columns": table.columns,
        "key": key,
        "chosen_key": list(parts) if parts else key,
        "key_argument": key if _is_argument(key) else "key",
        "key_type": _TYPES[types[key]],
        "fields": fields,
        "others": [(column, kind) for column, kind in fields if column not in (key, *parts)],
        "texts": " ".join(f"{{{column}}}" for column in texts),
    }


def _is_argument(column: str) -> bool:
    """Whether a tool can have an argument of this name."""
    reserved = {"ctx", "wanted", "given", "where", "order", "limit"}
    return (
        column.isidentifier()
        and not keyword.iskeyword(column)
        and column[0] != "_"
        and column not in reserved
    )
