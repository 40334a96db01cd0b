"""Reading an office world from the original benchmark's five tables and its address list."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from worksmith.retrievers.strict_json import open_text
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.moments import CELL_FORMAT
from worksmith.tools.kinds.office.schema import Row
from worksmith.tools.sqlite.schema import Table

NOW = datetime(2023, 11, 30)
"""The clock of every task of the original."""

ORIGIN = "workbench"

Check = Callable[[str], bool]


@dataclass(frozen=True)
class _Source:
    """One file of the original.

    Attributes:
        nullable: columns in which an empty cell means "no value"; elsewhere a cell must have text.
        checks: the form of a column's cells, with the words for it.
    """

    table: Table
    file: str
    checks: dict[str, tuple[Check, str]]
    nullable: tuple[str, ...] = ()
    unique: str | None = None


def import_tables(source: Path | str) -> dict[str, list[Row]]:
    """The tables of the original benchmark, ready to be written as a world.

    Args:
        source: a checkout of the original's repository (`data/processed/*.csv` and
            `data/raw/email_addresses.csv`), its `data` folder, or a folder that holds the six files.

    Raises:
        InputError: if a file is missing or a row or cell differs from the original's form; with the place.
    """
    directory = Path(source)
    if not directory.is_dir():
        raise InputError("no such folder", where=str(source))
    tables = {entry.table.name: _read_table(_locate(directory, entry.file), entry) for entry in _SOURCES}
    tables["directory"] = _read_addresses(_locate(directory, _ADDRESSES))
    return tables


def _locate(directory: Path, name: str) -> Path:
    for folder in ("", "data/processed", "data/raw", "processed", "raw"):
        if (directory / folder / name).is_file():
            return directory / folder / name
    raise InputError(
        f"{name} is missing", where=str(directory), hint="give the folder with the original's six CSV files"
    )


def _read_table(path: Path, source: _Source) -> list[Row]:
    lines = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    rows: list[Row] = []
    seen: set[str] = set()
    key = source.table.columns.index(source.unique) if source.unique else None
    try:
        header = tuple(next(lines, ()))
        if header != source.table.columns:
            raise InputError(
                f"the columns are {', '.join(header) or 'missing'}",
                where=str(path),
                hint=f"they should be {', '.join(source.table.columns)}",
            )
        for cells in lines:
            row = _row(cells, source, f"{path}, line {lines.line_num}")
            if key is not None:
                _note_id(str(row[key]), seen, f"{path}, line {lines.line_num}, column {source.unique}")
            rows.append(row)
    except csv.Error as error:
        raise InputError(f"not a sound CSV file: {error}", where=f"{path}, line {lines.line_num}") from error
    if not rows:
        raise InputError("the file has no rows", where=str(path))
    return rows


def _row(cells: list[str], source: _Source, where: str) -> Row:
    columns = source.table.columns
    if len(cells) != len(columns):
        raise InputError(f"{len(cells)} cells instead of {len(columns)}", where=where)
    row: list[str | None] = []
    for column, cell in zip(columns, cells, strict=True):
        if not cell and column in source.nullable:
            row.append(None)
            continue
        right, expected = source.checks.get(column, _TEXT)
        if not right(cell):
            raise InputError(f"{cell!r} is not {expected}", where=f"{where}, column {column}")
        row.append(cell)
    return tuple(row)


def _note_id(record_id: str, seen: set[str], where: str) -> None:
    if record_id in seen:
        raise InputError(f"the id {record_id} occurs twice", where=where)
    seen.add(record_id)


def _read_addresses(path: Path) -> list[Row]:
    rows: list[Row] = []
    seen: set[str] = set()
    for number, line in enumerate(_text(path).splitlines(), start=1):
        where = f"{path}, line {number}"
        if not _is_address(line):
            raise InputError(f"{line!r} is not an e-mail address", where=where)
        _note_id(line, seen, where)
        rows.append((line,))
    if not rows:
        raise InputError("the file has no addresses", where=str(path))
    return rows


def _text(path: Path) -> str:
    try:
        with open_text(path, newline=None) as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the file as UTF-8 text", where=str(path), hint=str(error)) from error


def _is_time(cell: str) -> bool:
    return _parses(cell, CELL_FORMAT, 19)


def _is_day(cell: str) -> bool:
    return _parses(cell, "%Y-%m-%d", 10)


def _parses(cell: str, form: str, length: int) -> bool:
    try:
        datetime.strptime(cell, form)
    except ValueError:
        return False
    return len(cell) == length


def _is_address(cell: str) -> bool:
    return re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", cell) is not None


def _one_of(choices: tuple[str, ...]) -> tuple[Check, str]:
    return choices.__contains__, f"one of {', '.join(choices)}"


def _digits(count: int | None = None) -> tuple[Check, str]:
    pattern = re.compile(r"[0-9]+" if count is None else f"[0-9]{{{count}}}")
    return (
        lambda cell: pattern.fullmatch(cell) is not None,
        "a whole number" if count is None else f"an id of {count} digits",
    )


_TEXT: tuple[Check, str] = (lambda cell: bool(cell.strip()), "a text")
_TIME: tuple[Check, str] = (_is_time, "a time like 2023-11-30 09:00:00")
_DAY: tuple[Check, str] = (_is_day, "a day like 2023-11-30")
_ADDRESS: tuple[Check, str] = (_is_address, "an e-mail address")

_ADDRESSES = "email_addresses.csv"
_SOURCES = (
    _Source(
        schema.CALENDAR,
        "calendar_events.csv",
        {"event_id": _digits(8), "participant_email": _ADDRESS, "event_start": _TIME, "duration": _digits()},
        unique="event_id",
    ),
    _Source(
        schema.EMAIL,
        "emails.csv",
        {
            "email_id": _digits(8),
            "inbox/outbox": _one_of(("inbox", "outbox")),
            "sender/recipient": _ADDRESS,
            "sent_datetime": _TIME,
        },
        unique="email_id",
    ),
    _Source(
        schema.ANALYTICS,
        "analytics_data.csv",
        {
            "date_of_visit": _DAY,
            "visitor_id": _digits(4),
            "page_views": _digits(),
            "session_duration_seconds": _digits(),
            "traffic_source": _one_of(schema.TRAFFIC_SOURCES),
            "user_engaged": _one_of(("True", "False")),
        },
    ),
    _Source(
        schema.TASKS,
        "project_tasks.csv",
        {
            "task_id": _digits(8),
            "assigned_to_email": _ADDRESS,
            "list_name": _one_of(schema.LISTS),
            "due_date": _DAY,
            "board": _one_of(schema.BOARDS),
        },
        unique="task_id",
    ),
    _Source(
        schema.CUSTOMERS,
        "customer_relationship_manager_data.csv",
        {
            "customer_id": _digits(8),
            "assigned_to_email": _ADDRESS,
            "last_contact_date": _DAY,
            "product_interest": _one_of(schema.PRODUCTS),
            "status": _one_of(schema.STATUSES),
            "follow_up_by": _DAY,
        },
        nullable=("customer_phone", "notes"),
        unique="customer_id",
    ),
)
