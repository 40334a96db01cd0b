"""Sources that an environment reads again while it is in use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import described
from worksmith.tools.kinds.own_data.sources.reading import Reading

Refresh = float | Literal["episode"] | None
"""When to read again: before each task, after this number of seconds, or only after a commit."""

Read = Callable[[Any, Sequence[str]], Mapping[str, Reading]]


def called(function: Callable[[], Any], where: str) -> Any:
    """The result of a user's function.

    Raises:
        InputError: it fails.
    """
    try:
        return function()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"the function fails: {described(error)}", where=where) from None


class Live(ABC):
    """A source that is read again.

    Attributes:
        identity: content address of a place in which a key is always that of the same record; empty if
            unknown.
        refresh: see `Refresh`.
        version: shows new rows by another value; None if only reading shows it.
    """

    def __init__(self, refresh: Refresh, version: Callable[[], Any] | None) -> None:
        number = isinstance(refresh, int | float) and not isinstance(refresh, bool) and refresh > 0
        if not number and refresh not in ("episode", None):
            hint = 'use "episode", a number of seconds, or None'
            raise InputError(f"no time to read again: {refresh!r}", where="refresh", hint=hint)
        self.refresh, self.version, self.identity = refresh, version, ""

    @abstractmethod
    def readings(self, name: str, read: Read) -> Mapping[str, Reading]:
        """Its tables as they are now.

        Args:
            name: that the user gave it.
            read: reads a file or rows, which have some columns in any case.

        Raises:
            InputError: they cannot be read.
        """


class Table(Live):
    """A table of an environment that is read again.

    Args:
        source: a function without arguments that gives the rows as dicts or as a frame, or a file.
        refresh: `"episode"` before each task, a number of seconds, None only after a commit.
        version: a function whose value is another whenever the table is; without it the rows are compared.

    Raises:
        InputError: something else was given.

    Example:
        >>> stock = [{"product": "P-1", "units": 3}]
        >>> env = ws.Environment.from_tables({"stock": ws.Table(lambda: stock)}, now="2026-01-05 09:00")
        >>> stock[0]["units"] = 2
        >>> env.refresh()
        True
    """

    def __init__(
        self,
        source: Callable[[], Any] | str | PathLike[str],
        *,
        refresh: Refresh = "episode",
        version: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(refresh, version)
        if not callable(source) and not isinstance(source, str | PathLike):
            hint = "give a function without arguments, or the path of a file"
            raise InputError(f"no table can be read again from a {type(source).__name__}", hint=hint)
        self._source = source if callable(source) else Path(source).absolute()
        self._columns: tuple[str, ...] = ()

    def readings(self, name: str, read: Read) -> Mapping[str, Reading]:
        content = called(self._source, name) if callable(self._source) else self._source
        found = read(content, self._columns)
        self._columns = self._columns or next(iter(found.values())).columns
        return found
