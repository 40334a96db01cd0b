"""Filters of tasks: `area=HR`, `domain=calendar,email`, `department=Finance`.

A program that is compiled on a part of a suite is one for that field of work, kind of task or group of
personas.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.errors import InputError

if TYPE_CHECKING:
    from evals.tasks.task import Task


def _of_persona(name: str) -> Callable[[Task], tuple[str, ...]]:
    return lambda task: () if task.persona is None else (str(getattr(task.persona, name)),)


FIELDS: dict[str, Callable[[Task], tuple[str, ...]]] = {
    "domain": lambda task: task.domains,
    "area": lambda task: (task.area,),
    "subarea": lambda task: (task.subarea,),
    "type": lambda task: (task.type or "",),
    "difficulty": lambda task: (task.difficulty or "",),
    "intent": lambda task: (task.intent or "",),
    "persona": _of_persona("id"),
    "department": _of_persona("department"),
    "level": _of_persona("level"),
}
"""The fields that tasks are filtered by, with the values of a task."""


@dataclass(frozen=True)
class Condition:
    """A field of tasks and its allowed values; letter case does not count."""

    field: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, known: Collection[str] = FIELDS.keys()) -> Condition:
        """The condition in `FIELD=VALUE` or `FIELD=VALUE,VALUE`.

        Args:
            known: the fields to choose from.

        Raises:
            InputError: the text is no condition, or its field is unknown.
        """
        field, equals, rest = text.partition("=")
        values = tuple(dict.fromkeys(value.strip() for value in rest.split(",") if value.strip()))
        if not equals or not values:
            raise InputError(f"no condition: {text!r}", where="--where", hint="write FIELD=VALUE")
        if field.strip() not in known:
            raise InputError(
                f"there is no {field.strip()!r} to choose by",
                where="--where",
                hint=f"there are {', '.join(known)}",
            )
        return cls(field.strip(), values)

    def __str__(self) -> str:
        return f"{self.field}={','.join(self.values)}"

    def holds(self, task: Task) -> bool:
        """Whether one of the task's values is allowed."""
        return self.allows(FIELDS[self.field](task))

    def allows(self, values: Iterable[str]) -> bool:
        """Whether one of the `values` of the field is allowed."""
        wanted = {value.casefold() for value in self.values}
        return any(value.casefold() in wanted for value in values)


def conditions(texts: Iterable[str], known: Collection[str] = FIELDS.keys()) -> tuple[Condition, ...]:
    """Parse conditions, all of which have to hold.

    Raises:
        InputError: see `Condition.parse`.
    """
    return tuple(Condition.parse(text, known) for text in texts)


def those_where(tasks: Sequence[Task], conditions: Sequence[Condition]) -> list[Task]:
    """The tasks for which all conditions hold.

    Raises:
        InputError: no task has a value that a condition allows.
    """
    for condition in conditions:
        if tasks and not any(condition.holds(task) for task in tasks):
            known = sorted({value for task in tasks for value in FIELDS[condition.field](task) if value})
            raise InputError(
                f"no task with {condition}", where="--where", hint=f"there are {', '.join(known) or 'none'}"
            )
    return [task for task in tasks if all(condition.holds(task) for condition in conditions)]
