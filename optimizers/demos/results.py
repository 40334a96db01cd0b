"""Made-up results of tools: by the declared type of the result and the schema of the tool's table."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel
from typing_extensions import is_typeddict

from worksmith.tools.access.access_policy import AccessPolicy, denial
from worksmith.tools.policy import denial_text
from worksmith.tools.user_tool import ASK_USER

if TYPE_CHECKING:
    from worksmith.evals.tasks.transcript import Transcript
    from worksmith.tools.environment import Environment
    from worksmith.tools.sqlite.schema import Table
    from worksmith.tools.tool import Tool

_DONE = "Done."
"""The result of a tool without a declared one."""

_DENIED = "Access denied."
_NOTHING_FOUND = "There is nothing that fits."

_DEEPEST = 4
"""Values in values, as a type may contain itself."""


class MadeUpResults:
    """Makes up the results of the calls of one demonstration. No database is asked.

    Args:
        word: makes up a word.
    """

    def __init__(self, env: Environment, random: Random, word: Callable[[Random], str]) -> None:
        kind = env.kind
        self._tools = {**kind.tools, ASK_USER.name: ASK_USER}
        self._tables = {table.name: table for table in kind.tables}
        self._keys = {table.indexes[0] for table in kind.tables if table.indexes}
        policy = env.policy
        self._uses = policy.document.tools if isinstance(policy, AccessPolicy) else {}
        self._random = random
        self._word = word

    def of(
        self,
        steps: Sequence[Mapping[str, Any]],
        task: str,
        answers: Iterable[tuple[str, Any]],
        script: Transcript,
    ) -> list[str]:
        """What each of the calls returns: one row, or as many as the answer names or counts.

        A value of a call or of the answer that nothing before it has stands in an earlier result.

        Args:
            steps: the calls, made up.
            task: the text of the task, made up.
            answers: the values of the answer, made up, each with its type.
        """
        tools = [self._tools.get(step["tool"]) for step in steps]
        rows = [self._row(tool, step["arguments"]) for tool, step in zip(tools, steps, strict=True)]
        given = task.casefold()
        for number, step in enumerate(steps):
            for name, value in _values(step["arguments"]):
                if not number or _has(given, value) or not (name in rows[number] or _is_short(value)):
                    continue
                if name in self._keys:
                    _place_key(rows[:number], name, value)
                else:
                    _place(rows[:number], f"{name} {step['thought']}", value, self._word(self._random))
            given += "\n" + _written(step["arguments"]).casefold()
        needed = [(kind, value) for kind, value in answers if rows and not _has(given, value)]
        if len(needed) > 1 and len({kind for kind, _ in needed}) == 1:
            self._list(rows[-1], tools[-1], steps[-1]["arguments"], f"{needed[0][0]} {task}", needed)
        elif needed and self._is_count(tools[-1], rows[-1], needed, task):
            more = range(int(needed[0][1]) - 1)
            rows[-1].others = [self._row(tools[-1], steps[-1]["arguments"]) for _ in more]
        else:
            for kind, value in needed:
                _place(rows, f"{kind} {task}", value, self._word(self._random))
        found = [
            _written(self._value(_declared(tool), row)) if tool else _DENIED
            for tool, row in zip(tools, rows, strict=True)
        ]
        if tools and script.denied:
            found[-1] = self._denial(tools[-1], steps[-1]["arguments"])
        elif tools and tools[-1] and script.status == "not_found":
            found[-1] = _written(self._value(_declared(tools[-1]), None))
        return found

    def _list(
        self,
        row: _Row,
        tool: Tool | None,
        arguments: Mapping[str, Any],
        asked: str,
        values: Sequence[tuple[str, Any]],
    ) -> None:
        """Give each of several answers of one kind a row, all in the same column."""
        column = _place([row], asked, values[0][1], self._word(self._random))
        row.others = [self._row(tool, arguments) for _ in values[1:]]
        for other, (_, value) in zip(row.others, values[1:], strict=True):
            other.place(column, value)

    @staticmethod
    def _is_count(tool: Tool | None, row: _Row, answers: Sequence[tuple[str, Any]], task: str) -> bool:
        """Whether the answer is how many rows there are: a small number, and no column is asked for."""
        words = set(_WORD.findall(task.casefold()))
        free = (column for column in row if column not in row.bound)
        named = any(words.intersection(_WORD.findall(column.casefold())) for column in free)
        small = len(answers) == 1 and re.fullmatch(r"[1-9]", str(answers[0][1])) is not None
        return tool is not None and small and not named

    def _row(self, tool: Tool | None, arguments: Mapping[str, Any]) -> _Row:
        """A row of the tool's table; columns with the names of arguments have their values."""
        table = self._table(tool, arguments) if tool else None
        row = _Row(table, written=bool(tool and tool.writes))
        if table is None:
            return row
        for column in table.columns:
            value = arguments.get(column)
            row[column] = self._cell(column, table.type_of(column)) if value is None else value
            if value is not None:
                row.bound.add(column)
        return row

    def _table(self, tool: Tool, arguments: Mapping[str, Any]) -> Table | None:
        """The first table that the access rules name for a tool, else its arguments, else its code."""
        use = self._uses.get(tool.name)
        code = getattr(inspect.unwrap(tool.function), "__code__", None)
        names = [*(use or ())[:1], *map(str, arguments.values()), *(_words_in(code) if code else ())]
        return next((self._tables[name] for name in names if name in self._tables), None)

    def _denial(self, tool: Tool | None, arguments: Mapping[str, Any]) -> str:
        table = self._table(tool, arguments) if tool else None
        if tool is None or table is None:
            return _DENIED
        return denial_text(denial(table.name, "update" if tool.writes else "read"))

    def _cell(self, column: str, kind: str) -> Any:
        if "date" in column.lower() and kind == "text":
            return self._day()
        match kind:
            case "integer":
                return self._random.randint(10, 99)
            case "real":
                return self._random.randint(100, 999) / 10
            case "boolean":
                return self._random.random() < 0.5
        return self._word(self._random)

    def _day(self) -> str:
        return f"20{self._random.randint(31, 49)}-{self._random.randint(1, 12):02}-14"

    def _value(self, kind: Any, row: _Row | None, depth: int = 0) -> Any:
        """A value of a declared type; without a row there is nothing to return."""
        origin, parts, depth = typing.get_origin(kind), typing.get_args(kind), depth + 1
        if depth > _DEEPEST:
            return None
        if origin is typing.Annotated:
            return self._value(parts[0], row, depth)
        if origin in (typing.Union, types.UnionType):
            some = [part for part in parts if part is not type(None)]
            return None if row is None and len(some) < len(parts) else self._value(some[0], row, depth)
        if origin is Literal:
            return parts[0]
        if isinstance(kind, type) and issubclass(kind, Enum):
            return next(iter(kind)).value
        if (fields := _fields(kind)) is not None:
            return {name: self._field(name, part, row, depth) for name, part in fields.items()}
        base = origin if isinstance(origin, type) else kind
        if isinstance(base, type) and issubclass(base, list | tuple | set | frozenset):
            rows = [] if row is None else [row, *row.others]
            return [self._value(parts[0] if parts else Any, each, depth) for each in rows]
        if isinstance(base, type) and issubclass(base, Mapping):
            return _NOTHING_FOUND if row is None else row.shown or {"result": self._word(self._random)}
        return self._scalar(base, row)

    def _field(self, name: str, kind: Any, row: _Row | None, depth: int) -> Any:
        if row is None or name not in row:
            # A number beside rows is their count.
            return (
                self._value(kind, row, depth)
                if kind is not int
                else 1 + len(row.others)
                if row is not None
                else 0
            )
        return row[name]

    def _scalar(self, kind: Any, row: _Row | None) -> Any:
        if row is None:
            return 0 if kind in (int, float) else False if kind is bool else _NOTHING_FOUND
        if kind in (int, float, bool, date, datetime, str):
            placed = next((value for value in row.placed if kind is str or isinstance(value, kind)), None)
            if placed is not None:
                return placed
            names = {int: "integer", float: "real", bool: "boolean", str: "text"}
            return self._cell("", names[kind]) if kind in names else self._day()
        return row.shown if row and kind is not type(None) else _DONE


class _Row(dict[str, Any]):
    """A row, the columns whose values are settled, and the values that later steps need.

    Attributes:
        key: the column that identifies it; empty without a table.
        free: the columns of free text.
        written: whether a call wrote it, whose result then shows only settled values.
        others: the further rows of a list.
    """

    def __init__(self, table: Table | None, *, written: bool) -> None:
        super().__init__()
        self.key = table.indexes[0] if table and table.indexes else ""
        self.free = table.free if table else ()
        self.written = written
        self.others: list[_Row] = []
        self.bound: set[str] = set()
        self.placed: list[Any] = []

    @property
    def shown(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.items()
            if not self.written or name in self.bound or name == self.key
        }

    def place(self, column: str, value: Any) -> None:
        self[column] = _like(self.get(column), value)
        self.bound.add(column)
        self.placed.append(self[column])


def _place_key(rows: Sequence[_Row], name: str, value: Any) -> None:
    """Put the key of a record into the latest column of its name, else one that ends with it.

    Without one, it stands beside the last row.
    """
    free = [(row, column) for row in reversed(rows) for column in row if column not in row.bound]
    fitting = [(row, column) for row, column in free if f"_{column}".endswith(f"_{name}")]
    row, column = min(fitting, key=lambda place: place[1] != name, default=(rows[-1], name))
    row.place(column, value)


def _place(rows: Sequence[_Row], asked: str, value: Any, word: str) -> str:
    """Put a value that is needed later into a column of the last rows; gives its name.

    Args:
        asked: the words by which it is known. The column that shares most of them is taken, else one of free
            text, else any but the key.
    """
    words = set(_WORD.findall(asked.casefold()))
    free = [(row, column) for row in reversed(rows) for column in row if column not in row.bound]

    def fit(place: tuple[_Row, str]) -> tuple[int, bool, bool]:
        row, column = place
        shared = len(words.intersection(_WORD.findall(column.casefold())))
        return -shared, column not in row.free, column == row.key

    row, column = min(free, key=fit, default=(rows[-1], "result"))
    row.place(column, f"{word} {value} {word}." if column in row.free else value)
    return column


def _has(text: str, value: Any) -> bool:
    return re.search(rf"(?<!\w){re.escape(str(value).casefold())}(?!\w)", text) is not None


def _is_short(value: Any) -> bool:
    """Whether a value may come from a record as it is, and is not a text of the agent."""
    return len(_WORD.findall(str(value))) <= _LONGEST_NAME


_LONGEST_NAME = 6
_WORD = re.compile(r"[^\W_]+")


def _like(cell: Any, value: Any) -> Any:
    """A value as a cell of the same type; a truth value stays."""
    if isinstance(cell, bool):
        return cell
    try:
        return value if cell is None else type(cell)(value)
    except ValueError:
        return value


def _values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The texts and numbers among the arguments of a call, each with the argument's name."""
    for name, value in arguments.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str | int | float) and not isinstance(each, bool) and each != "":
                yield name, each


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _declared(tool: Tool) -> Any:
    try:
        return typing.get_type_hints(tool.function, include_extras=True).get("return", Any)
    except Exception:  # the annotation is a user's code
        return Any


def _fields(kind: Any) -> Mapping[str, Any] | None:
    if is_typeddict(kind):
        return typing.get_type_hints(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: field.annotation for name, field in kind.model_fields.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return typing.get_type_hints(kind)
    return None


def _words_in(code: types.CodeType) -> Iterator[str]:
    """The words of the texts in a function's code, in their order."""
    constants: Iterable[Any] = code.co_consts
    for constant in constants:
        if isinstance(constant, str):
            yield from re.findall(r"\w+", constant)
        elif isinstance(constant, types.CodeType):
            yield from _words_in(constant)
