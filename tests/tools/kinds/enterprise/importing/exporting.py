"""Writing a world in the original's folder layout."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import apsw

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_lines
from worksmith.tools.kinds.enterprise.importing.documents import ORDER_FOLDER, POLICY_FOLDER
from worksmith.tools.kinds.enterprise.importing.fields import FIELDS, FILES
from worksmith.tools.kinds.enterprise.importing.layout import ORDERS, OWN_FILES, POLICIES
from worksmith.tools.kinds.enterprise.importing.reader import ORIGIN, ORIGINALS_FILE
from worksmith.tools.kinds.enterprise.importing.rows import Row
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.sqlite.schema import columns_sql, quoted
from worksmith.tools.world import World

Record = dict[str, Any]


def export_enterprise(world: World, out: Path | str) -> None:
    """Write `world` as the original's files: importing them gives the same records again.

    Columns that the original does not have are written under their own names where they have a value.

    Args:
        world: a world of kind `enterprise`, imported or generated.
        out: a folder; files in it are replaced.

    Raises:
        InputError: if the world is of another kind.
    """
    if world.manifest.kind != "enterprise":
        raise InputError(f"a world of kind {world.manifest.kind} has no such layout", where=str(world.path))
    out = Path(out)
    tables = _tables(world)
    extras = _extras(world.path)
    for source, paths in FILES.items():
        records = _records(source, tables, extras)
        if records:
            _write(out / paths[0], records)
    _documents(world, tables, out)


def _tables(world: World) -> dict[str, list[Row]]:
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", world.image)
    tables: dict[str, list[Row]] = {}
    for table in TABLES:
        query = f"SELECT {columns_sql(table.columns)} FROM {quoted(table.name)} ORDER BY _row"
        tables[table.name] = [dict(zip(table.columns, row, strict=True)) for row in connection.execute(query)]
    return tables


def _extras(directory: Path) -> dict[str, Record]:
    file = directory / ORIGINALS_FILE
    if not os.path.lexists(file):
        return {}
    try:
        return {entry["record"]: entry["fields"] for _, entry in read_lines(file, "a record's other fields")}
    except (KeyError, TypeError) as error:
        raise InputError("cannot be read", where=str(file), hint=str(error)) from error


def _records(source: str, tables: Mapping[str, list[Row]], extras: Mapping[str, Record]) -> list[Record]:
    change = _CHANGES.get(source)
    make = change(tables) if change else None
    records = []
    for row in tables[source]:
        record = _fields(source, row)
        if make:
            make(row, record)
        for path, value in extras.get(f"{source}/{row[KEYS[source]]}", {}).items():
            _put(record, path, value)
        records.append(record)
    return records


def _fields(source: str, row: Row) -> Record:
    record: Record = {}
    for entry in FIELDS[source]:
        cell = row.get(entry.column)
        if cell is not None:
            record[entry.names[0]] = written(entry.cell, cell)
    return record


def written(cell: str, text: str) -> Any:
    """The original's form of the world's text. `cell`: see `Field`."""
    if cell.isupper():
        found = re.fullmatch(rf"{cell}-(0|[1-9]\d*)", text)
        return int(found[1]) if found else text
    return _WRITERS[cell](text) if cell in _WRITERS else text


def grouped(text: str, *, indian: bool) -> str:
    """A decimal with thousands separated, or the Indian way: 9,99,999."""
    whole, point, rest = text.partition(".")
    sign = whole[:1] if whole[:1] == "-" else ""
    digits = whole.removeprefix("-")
    head, tail = digits[:-3], digits[-3:]
    size = 2 if indian else 3
    parts = [head[max(0, end - size) : end] for end in range(len(head), 0, -size)][::-1]
    return sign + ",".join([*parts, tail]) + point + rest


def _day_first(text: str) -> str:
    return "-".join(reversed(text[:10].split("-")))


_WRITERS: dict[str, Callable[[str], str]] = {
    "date": lambda text: text.replace("T", " "),
    "mail_date": lambda text: f"{text.replace('T', ' ')} IST" if "T" in text else text,
    "joined": _day_first,
    "left": _day_first,
    "rupees": lambda text: "₹" + grouped(text, indian=True),
    "dollars": lambda text: "$" + grouped(text, indian=False),
    "percent": lambda text: text + "%",
}


def _put(record: Record, path: str, value: Any) -> None:
    """Lay a field where it was, unless a column says it now."""
    head, _, rest = path.partition(".")
    if rest:
        inner = record.setdefault(head, {})
        if isinstance(inner, dict):
            inner.setdefault(rest, value)
    else:
        record.setdefault(path, value)


Change = Callable[[Row, Record], None]


def _employees(tables: Mapping[str, list[Row]]) -> Change:
    reportees: dict[str, list[str]] = defaultdict(list)
    for row in tables["employees"]:
        if row["reports_to"]:
            reportees[row["reports_to"]].append(str(row["emp_id"]))

    def change(row: Row, record: Record) -> None:
        record["Level"] = (row["department"] or "") + (row["level"] or "")
        record.setdefault("DOL", "Present")
        record.setdefault("reports_to", None)
        record["reportees"] = reportees[str(row["emp_id"])]

    return change


def _customers(_: Mapping[str, list[Row]]) -> Change:
    def change(_row: Row, record: Record) -> None:
        for name in ("invoice_paths", "purchase_order_paths", "shipping_order_paths"):
            if name in record:
                record[name] = f"{ORDERS}/{PurePosixPath(record[name]).name}"

    return change


def _repositories(tables: Mapping[str, list[Row]]) -> Change:
    """Issues stand in the record of their file; without such a file, in the first of their repository."""
    homes: dict[str | None, str] = {}
    for row in reversed(tables["repositories"]):
        homes[row["repo_name"]] = str(row["file_id"])
    files = {row["file_id"] for row in tables["repositories"]}
    issues: dict[str | None, list[Row]] = defaultdict(list)
    for issue in tables["issues"]:
        file_id = f"{issue['repo_name']}:{issue['path']}"
        issues[file_id if file_id in files else homes.get(issue["repo_name"])].append(issue)

    def change(row: Row, record: Record) -> None:
        found = [_issue(issue, row) for issue in issues[row["file_id"]]]
        if found:
            record["issues"] = found[0] if len(found) == 1 else found

    return change


def _issue(issue: Row, file: Row) -> Record:
    record = _fields("issues", issue)
    return {k: v for k, v in record.items() if k not in ("path", "emp_id") or v != file[k]}


_CHANGES: dict[str, Callable[[Mapping[str, list[Row]]], Change]] = {
    "employees": _employees,
    "customers": _customers,
    "repositories": _repositories,
}


def _documents(world: World, tables: Mapping[str, list[Row]], out: Path) -> None:
    copied: set[str] = set()
    for folder, target in ((POLICY_FOLDER, POLICIES), (ORDER_FOLDER, ORDERS)):
        for file in sorted((world.path / folder).glob("*.pdf")):
            (out / target).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, out / target / file.name)
            copied.add(f"{folder}/{file.name}")
    for source, path in OWN_FILES.items():
        # The rows of an imported world follow from its PDFs, where these are at hand.
        follow = copied if world.manifest.origin == ORIGIN else set()
        rows = [_fields(source, row) for row in tables[source] if row["path"] not in follow]
        if rows:
            _write(out / path, rows)


def _write(path: Path, records: list[Record]) -> None:
    if path.suffix == ".csv":
        text = io.StringIO(newline="")
        header = list(dict.fromkeys(key for record in records for key in record))
        writer = csv.DictWriter(text, header)
        writer.writeheader()
        writer.writerows(records)
        write_atomically(path, text.getvalue().encode())
    else:
        write_atomically(path, json.dumps(records, indent=4).encode() + b"\n")
