"""Result tables of the original benchmark."""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worksmith.evals.lm.sdk_errors import says_too_long
from worksmith.retrievers.strict_json import open_text
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.statuses import EpisodeStatus

_MISSING = {"", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<NA>", "#N/A", "#N/A N/A", "#NA"}
_MISSING |= {"-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"}
"""Cells that pandas, which the original uses, takes for missing."""

_TEXT = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_PLAIN_LIST = re.compile(rf"\[(?:{_TEXT}(?:, {_TEXT})*)?\]")
_ITEM = re.compile(r"""'([^']*)'|"([^"]*)\"""")


_OUT_OF_STEPS = "iteration limit"


@dataclass(frozen=True, slots=True)
class TableRow:
    """The actions of an agent for one task.

    Attributes:
        row: the number in that file, from 1, without the header.
        folder: the name of the file's folder; in the original, the domain.
        query: the task's text.
        actions: all calls as text, in order.
        error: of a run that died; else empty.
    """

    file: str
    row: int
    folder: str
    query: str
    actions: tuple[str, ...]
    error: str


def files_in(paths: Iterable[Path], endings: Sequence[str] = (".csv",)) -> list[Path]:
    """Files; directories are searched for files with one of the endings.

    Raises:
        InputError: a path does not exist, or a directory holds no such file.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.suffix in endings and p.is_file())
            if not found:
                raise InputError(f"no {' or '.join(endings)} file in this directory", where=str(path))
            files.extend(found)
        elif path.is_file():
            files.append(path)
        else:
            raise InputError("no such file", where=str(path))
    return list(dict.fromkeys(files))


def read_table(path: Path) -> list[TableRow]:
    """All rows of a result table.

    Raises:
        InputError: the file is unreadable or damaged; names row and column.
    """
    try:
        return list(_from_table(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the result table", where=str(path), hint=str(error)) from error


def ended_by(error: str) -> EpisodeStatus:
    """The status of a recorded run that died of `error`; published figures count it as wrong."""
    if says_too_long(error):
        return "context_limit"
    return "step_limit" if _OUT_OF_STEPS in error.lower() else "program_error"


def text_list(cell: str) -> list[str]:
    """The texts in a Python list literal.

    Raises:
        ValueError: the cell is not a list of texts.
    """
    if "\\" not in cell and _PLAIN_LIST.fullmatch(cell):
        return [single or double for single, double in _ITEM.findall(cell)]
    try:
        found = ast.literal_eval(cell)
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError("not a list of texts")
    return found


def _from_table(path: Path) -> Iterator[TableRow]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a transcript may be longer than the default allows
    with open_text(path) as file:
        lines = csv.reader(file, strict=True)
        try:
            header = next(lines, [])
            query, calls, error = _columns(header, path)
            for row, cells in enumerate(lines, start=1):
                if len(cells) != len(header):
                    raise InputError(
                        f"{len(cells)} cells instead of {len(header)}", where=_place(path, row, None)
                    )
                try:
                    actions = text_list(cells[calls])
                except ValueError as fault:
                    raise InputError(
                        "not a list of calls", where=_place(path, row, "function_calls"), hint=str(fault)
                    ) from fault
                failure = "" if error is None or cells[error] in _MISSING else cells[error]
                yield TableRow(str(path), row, path.parent.name, cells[query], tuple(actions), failure)
        except csv.Error as fault:
            raise InputError(
                f"not a sound CSV file: {fault}", where=f"{path}, line {lines.line_num}"
            ) from fault


def _columns(header: Sequence[str], path: Path) -> tuple[int, int, int | None]:
    for column in ("query", "function_calls"):
        if column not in header:
            raise unknown("no column", column, header, str(path))
    return (
        header.index("query"),
        header.index("function_calls"),
        header.index("error") if "error" in header else None,
    )


def _place(path: Path, row: int, column: str | None) -> str:
    return f"{path}, row {row}" + (f", column {column}" if column else "")
