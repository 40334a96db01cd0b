"""Getting the records out of a JSON or CSV file, sound or not.

Accepted are a list of objects, JSON lines, and an object that wraps one list. Where a file is damaged, the
records that can be read are, and the report says which could not.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worksmith.retrievers.strict_json import read_regular
from worksmith.tools.importing.cells import Number
from worksmith.tools.importing.raw import RawRecord
from worksmith.tools.importing.report import FileStatus, ImportReport

_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, strict=False)
_NEXT_OBJECT = re.compile(r"[,\n]\s*(?=\{)")
_SPACE = re.compile(r"\s*")
_MOST_GAPS = 20
"""After how many damaged places the rest of a file is given up: each costs a look at all that follows."""

_WRAPPER_KEYS = 3
"""An object with more keys than this is one record, not the wrapping of a list."""


def read_records(
    path: Path, name: str, report: ImportReport, *, is_record: Callable[[dict[str, Any]], bool] | None = None
) -> tuple[list[RawRecord], FileStatus]:
    """The records of a file, and how it was found.

    Args:
        path: where it is; `.csv` files have one record a line, others are JSON.
        name: what the report calls it.
        is_record: says of an object that is all of a file whether it is a record and wraps nothing.
    """
    before = len(report.findings)
    try:
        data = read_regular(path)
    except OSError as error:
        reason = (
            "a directory stands in the file's place" if path.is_dir() else f"cannot be read: {error.strerror}"
        )
        report.error("unreadable_file", name, "", reason)
        return [], "unreadable"
    if not data.strip():
        report.error("empty_file", name, "", "the file is empty")
        return [], "empty"
    text = _text(data, name, report)
    if path.suffix.lower() == ".csv":
        values = _csv_rows(text, name, report)
    else:
        values = _json_values(text, name, report, is_record or (lambda _: False))
    records = []
    for position, value in enumerate(values, start=1):
        if isinstance(value, dict):
            records.append(RawRecord(name, position, value))
        else:
            report.error("not_an_object", name, f"record {position}", f"{_kind(value)} instead of an object")
    damaged = any(finding.severity == "error" for finding in report.findings[before:])
    return records, "damaged" if damaged else "read"


def _text(data: bytes, name: str, report: ImportReport) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wanted = encoding.removesuffix("-sig").upper()
        report.error(
            "bad_encoding",
            name,
            f"line {line}",
            f"byte {error.start} is not {wanted}; what cannot be read is marked",
        )
        return data.decode(encoding, errors="replace")


def _json_values(
    text: str, name: str, report: ImportReport, is_record: Callable[[dict[str, Any]], bool]
) -> list[Any]:
    try:
        value = _DECODER.decode(text.strip())
        if isinstance(value, dict) and is_record(value):
            return [value]
        return _unwrapped(value, name, report)
    except (ValueError, RecursionError) as error:
        first = text.lstrip()[:1]
        if first == "{" and (lines := _json_lines(text, name, report)) is not None:
            return lines
        if first in ("[", "{"):
            return _salvaged(text, name, report)
        report.error("not_json", name, "", f"not JSON: {error}")
        return []


def _unwrapped(value: Any, name: str, report: ImportReport) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        if len(value) <= _WRAPPER_KEYS and len(lists) == 1:
            return lists[0]
        if value and all(isinstance(item, dict) for item in value.values()) and len(value) > 1:
            return list(value.values())
        return [value]
    report.error("wrong_type", name, "", f"{_kind(value)} where a list of records is expected")
    return []


def _json_lines(text: str, name: str, report: ImportReport) -> list[Any] | None:
    """One object a line; None if the file does not look so."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    values: list[Any] = []
    bad: list[tuple[int, str]] = []
    for number, line in lines:
        try:
            values.append(_DECODER.decode(line.strip()))
        except (ValueError, RecursionError) as error:
            bad.append((number, str(error)))
    if len(bad) * 2 > len(lines) or not values:
        return None
    for number, reason in bad:
        report.error("bad_line", name, f"line {number}", f"the line is not JSON: {reason}")
    return values


def _salvaged(text: str, name: str, report: ImportReport) -> list[Any]:
    """The records that are whole, of a list that is not."""
    start = text.find("[")
    position = len(text) if start < 0 else start + 1
    values: list[Any] = []
    for _ in range(_MOST_GAPS):
        position, reason = _run(text, position, values)
        if not reason:
            return values
        report.error("damaged_json", name, f"record {len(values) + 1}", f"unreadable from there on: {reason}")
        found = _NEXT_OBJECT.search(text, position)
        if found is None:
            return values
        position = found.end()
    report.error("damaged_json", name, "", f"given up after {_MOST_GAPS} damaged places")
    return values


def _run(text: str, position: int, values: list[Any]) -> tuple[int, str]:
    """Read values from `position` on, into `values`; where that ended, and why if not at the list's end."""
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        if position >= len(text):
            return position, "the file ends within the list"
        if text[position] == "]":
            rest = text[position + 1 :].strip(" \r\n\t]}")
            return position + 1, "" if not rest else "there is something after the end of the list"
        if text[position] == ",":
            position += 1
            continue
        try:
            value, position = _DECODER.raw_decode(text, position)
        except RecursionError:
            return position + 1, "values are nested too deeply to be read"
        except ValueError as error:
            return position + 1, str(error)
        values.append(value)


def _csv_rows(text: str, name: str, report: ImportReport) -> list[Any]:
    lines = csv.reader(io.StringIO(text, newline=""))
    rows: list[Any] = []
    try:
        header = next(lines, [])
        for cells in lines:
            if len(cells) != len(header):
                reason = f"{len(cells)} cells instead of {len(header)}"
                report.warn("ragged_row", name, f"line {lines.line_num}", reason)
            if cells:
                rows.append(dict(zip(header, cells, strict=False)))
    except csv.Error as error:
        report.error("damaged_csv", name, f"line {lines.line_num}", f"unreadable from there on: {error}")
    return rows


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Number):
        return "a number"
    return {str: "a text", bool: "a truth value", list: "a list", dict: "an object"}.get(
        type(value), "a value"
    )
