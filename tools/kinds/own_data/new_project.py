"""The Python file and the rules of a new project over data that there are."""

from __future__ import annotations

import json
import keyword
import os
from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.tables import SourceTable, read_tables
from worksmith.tools.sqlite.cells import CellType

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".sqlite", ".sqlite3", ".db")
_TYPES: Mapping[CellType, str] = {
    "text": "str",
    "integer": "int",
    "real": "float",
    "boolean": "bool",
    "json": "list | dict",
}
_TEXTS = ("title", "subject", "name", "summary", "text", "body", "description", "content", "notes")


def write_environment(data: Path, folder: Path) -> None:
    """Write `environment.py` and `policy.json` for the tables in a folder of files.

    Args:
        data: the folder with the files.
        folder: of the project; the Python file names the data by relative paths.

    Raises:
        InputError: there is no such folder, no table in it, or a file cannot be read.
    """
    import jinja2

    if not data.is_dir():
        raise InputError("no such folder of data", where=str(data))
    found = sorted(file for file in data.iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
    if not found:
        raise InputError("no tables here", where=str(data), hint=f"files end in {', '.join(ENDINGS)}")
    read = {file: read_tables({_name(file): file}) for file in found}
    tables = [_described(table, file, folder) for file, own in read.items() for table in own]
    template = files("worksmith.tools.kinds.own_data").joinpath("environment.txt").read_text(encoding="utf-8")
    text = jinja2.Template(template).render(
        tables=tables,
        now=f"{datetime.now():%Y-%m-%d} 09:00",
        keys=json.dumps({table["name"]: table["key"] for table in tables}),
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
    name = "".join(letter if letter.isalnum() else "_" for letter in file.stem.lower()).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"table_{name}"


def _described(table: SourceTable, file: Path, folder: Path) -> dict[str, Any]:
    types, key = table.profile.types, table.profile.key
    fields = [(column, _TYPES[types[column]]) for column in table.columns if _is_argument(column)]
    texts = [column for column in table.columns if column.lower() in _TEXTS and types[column] == "text"]
    return {
        "name": table.name,
        "singular": table.name[:-1] if table.name.endswith("s") else table.name,
        "path": json.dumps(os.path.relpath(file.resolve(), folder.resolve())),
        "columns": table.columns,
        "key": key,
        "key_argument": key if _is_argument(key) else "key",
        "key_type": _TYPES[types[key]],
        "fields": fields,
        "others": [(column, kind) for column, kind in fields if column != key],
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
