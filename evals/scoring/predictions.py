"""Prediction files: our JSON lines, and the result tables of the original benchmark."""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.lm.sdk_errors import says_too_long
from evals.scoring.actions import format_action
from retrievers.strict_json import open_text
from tools.errors import InputError
from tools.files.json_files import read_lines
from tools.statuses import INFRASTRUCTURE, EpisodeStatus

_MISSING = {"", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<NA>", "#N/A", "#N/A N/A", "#NA"}
_MISSING |= {"-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"}
"""Cells that pandas, which the original uses, takes for missing."""

_TEXT = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_PLAIN_LIST = re.compile(rf"\[(?:{_TEXT}(?:, {_TEXT})*)?\]")
_ITEM = re.compile(r"""'([^']*)'|"([^"]*)\"""")


_OUT_OF_STEPS = "iteration limit"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The actions of an agent for one task.

    Attributes:
        file: the file it was read from.
        row: the number in that file, from 1, without the header of a table.
        folder: the name of the file's folder; in the original, the domain.
        query: the task's text; may be empty if `task_id` is given.
        actions: all calls as text, in order.
        error: of a run that died; else empty.
    """

    file: str
    row: int
    folder: str
    query: str
    actions: tuple[str, ...]
    error: str
    task_id: str | None = None


def prediction_files(paths: Iterable[Path]) -> list[Path]:
    """Files, with directories searched for .csv and .jsonl files.

    Raises:
        InputError: a path does not exist, or a directory holds no such file.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.suffix in (".csv", ".jsonl") and p.is_file())
            if not found:
                raise InputError("no .csv or .jsonl file in this directory", where=str(path))
            files.extend(found)
        elif path.is_file():
            files.append(path)
        else:
            raise InputError("no such file", where=str(path))
    return list(dict.fromkeys(files))


def read_predictions(path: Path) -> list[Prediction]:
    """All predictions in a file: a result table (.csv), or JSON lines.

    A JSON line has `query` or `task_id`, and either `actions` (texts, or objects with `tool` and
    `arguments`) or, as in an episode log, `calls`; `error` is optional.

    Raises:
        InputError: the file is unreadable or damaged; names row and column.
    """
    try:
        if path.suffix == ".csv":
            return list(_from_table(path))
        return list(_from_lines(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the predictions", where=str(path), hint=str(error)) from error


def ended_by(error: str) -> EpisodeStatus:
    """The status of a recorded run that died of `error`; published figures count it as wrong."""
    if says_too_long(error):
        return "context_limit"
    return "step_limit" if _OUT_OF_STEPS in error.lower() else "program_error"


def text_list(cell: str) -> list[str]:
    """The texts in a Python list literal.

    Raises:
        ValueError: the cell is no list of texts.
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


def _from_table(path: Path) -> Iterator[Prediction]:
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
                yield Prediction(str(path), row, path.parent.name, cells[query], tuple(actions), failure)
        except csv.Error as fault:
            raise InputError(
                f"not a sound CSV file: {fault}", where=f"{path}, line {lines.line_num}"
            ) from fault


def _columns(header: Sequence[str], path: Path) -> tuple[int, int, int | None]:
    for column in ("query", "function_calls"):
        if column not in header:
            raise InputError(f"no column {column!r}", where=str(path), hint=f"there are {', '.join(header)}")
    return (
        header.index("query"),
        header.index("function_calls"),
        header.index("error") if "error" in header else None,
    )


def _from_lines(path: Path) -> Iterator[Prediction]:
    for row, (place, entry) in enumerate(read_lines(path, "a prediction"), start=1):
        if not isinstance(entry, dict) or not (entry.get("query") or entry.get("task_id")):
            raise InputError("not an object with a query or a task_id", where=place)
        yield Prediction(
            file=str(path),
            row=row,
            folder=path.parent.name,
            query=str(entry.get("query") or ""),
            actions=tuple(_actions(entry, place)),
            error=_error(entry),
            task_id=entry.get("task_id"),
        )


def _actions(entry: Mapping[str, Any], place: str) -> Iterator[str]:
    actions = entry.get("actions")
    if actions is None:
        # An episode log keeps what each call came to: what was refused live must not be made up for here.
        actions = [call for call in entry.get("calls", ()) if call.get("status", "ok") == "ok"]
    if not isinstance(actions, list):
        raise InputError("actions is not a list", where=place)
    for action in actions:
        if isinstance(action, str):
            yield action
        elif isinstance(action, dict) and isinstance(action.get("arguments", {}), dict) and "tool" in action:
            yield format_action(str(action["tool"]), action.get("arguments", {}))
        else:
            raise InputError("an action is neither a text nor a tool with arguments", where=place)


def _error(entry: Mapping[str, Any]) -> str:
    error = str(entry.get("error") or "")
    status = entry.get("status")
    return error or (str(status) if status in INFRASTRUCTURE else "")


def _place(path: Path, row: int, column: str | None) -> str:
    return f"{path}, row {row}" + (f", column {column}" if column else "")
