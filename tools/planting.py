"""Texts planted into what tools show. Records, searches, rights and outcomes stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from worksmith.tools.dispatch import Observation, as_text


class Planted(BaseModel):
    """A text that an agent sees in the place of a cell, or below the reply of a tool.

    Attributes:
        where: the column of the cell; without an `old` text, the tool.
        old: the text of the cell.
        new: the text that the agent sees.
    """

    model_config = ConfigDict(frozen=True)

    where: str
    old: str = ""
    new: str

    def shown(self, tool: str, seen: Observation) -> Observation:
        """An observation with the text."""
        if seen.status != "ok":
            return seen
        if not self.old:
            return replace(seen, text=f"{seen.text}\n{self.new}") if tool == self.where else seen
        value, whole = self._planted(seen.value), as_text(seen.value)
        if value == seen.value:
            return seen
        if seen.text.startswith(whole):  # a note may follow
            return replace(seen, value=value, text=as_text(value) + seen.text[len(whole) :])
        return replace(seen, value=value, text=seen.text.replace(self.old, self.new))

    def meant(self, arguments: Any) -> Any:
        """Arguments that copy the text, with the text of the cell in its place: no record holds the other."""
        return arguments if not self.old else _texts(arguments, lambda text: text.replace(self.new, self.old))

    def _planted(self, value: Any, name: str = "") -> Any:
        if isinstance(value, list):
            return [self._planted(each, name) for each in value]
        if isinstance(value, dict):
            return {field: self._planted(each, field) for field, each in value.items()}
        return self.new if (name, value) == (self.where, self.old) else value


def _texts(value: Any, change: Callable[[str], str]) -> Any:
    """A value with each of its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_texts(each, change) for each in value]
    return {name: _texts(each, change) for name, each in value.items()} if isinstance(value, dict) else value


@contextmanager
def planting(planted: Planted | None) -> Iterator[None]:
    """A block in which episodes are opened with a planted text, by any code."""
    token = _PLANTED.set(planted)
    try:
        yield
    finally:
        _PLANTED.reset(token)


def planted() -> Planted | None:
    """The text of the block around the caller."""
    return _PLANTED.get()


_PLANTED: ContextVar[Planted | None] = ContextVar("worksmith_planted", default=None)
