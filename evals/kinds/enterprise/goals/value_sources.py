"""Where the values in a plan come from: which step showed them first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worksmith.evals.authoring.plan_recorder import leaves
from worksmith.evals.authoring.value_forms import tells

_TELLING = 4
"""A value shorter than this is not traced inside of longer texts: it may stand there by chance."""


class Trace:
    """The values that the steps of a plan have shown so far.

    Args:
        query: the task's text; what stands in it need not be shown.
    """

    def __init__(self, query: str) -> None:
        self._query = query.lower()
        self._shown: list[set[str]] = []
        self._texts: list[str] = []
        self._picked: dict[str, int] = {}

    def observe(self, value: Any, text: str) -> None:
        """Note the values of the next step, as data and as the agent reads it."""
        self._shown.append(set(leaves(value)))
        self._texts.append(text)

    def understand(self, value: str, step: int) -> None:
        """Note that a reader gets a value from what a step shows."""
        self._shown[step].add(value)

    def pick(self, cells: Mapping[str, str], step: int) -> None:
        """Note that a record of a step is needed: its cells come from there, whatever showed them before."""
        for cell in cells.values():
            self._picked.setdefault(cell, step)

    def origin(self, value: str) -> int | None:
        """The step that shows a value first; None if the question tells it, or no step."""
        if value.lower() in self._query:
            return None
        if value in self._picked:
            return self._picked[value]
        return next((step for step, shown in enumerate(self._shown) if value in shown), None)

    def sources(self, arguments: Mapping[str, str | int]) -> set[int]:
        """The steps that show an argument first, or a value in one."""
        found: set[int] = set()
        for argument in arguments.values():
            if isinstance(argument, int):
                continue
            exact = self.origin(argument)
            if exact is not None:
                found.add(exact)
            elif argument.lower() not in self._query and " " in argument:
                found |= self._told_in(argument)
        return found

    def disclosed(self, value: str) -> bool:
        """Whether any observation so far contains a value."""
        return any(tells(text, value) for text in self._texts)

    def _told_in(self, text: str) -> set[int]:
        found: set[int] = set()
        known: set[str] = set()
        for step, shown in enumerate(self._shown):
            telling = {value for value in shown if len(value) >= _TELLING and value not in known}
            known |= telling
            if any(value in text and value.lower() not in self._query for value in telling):
                found.add(step)
        return found
