"""Filters of tasks: `area=HR`, `domain=calendar,email`, `department=Finance`.

A program that is compiled on a part of a suite is one for that field of work, kind of task or group of
personas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worksmith.evals.tasks.facets import FACETS, Facets
from worksmith.evals.tasks.task import Task
from worksmith.retrievers.texts.words import folded
from worksmith.tools.errors import InputError, names_instead, unknown

_FIELDS: Mapping[str, Callable[[Task], tuple[str, ...]]] = {
    "domain": lambda task: task.domains,
    "subarea": lambda task: (task.subarea,),
    "intent": lambda task: (task.intent or "",),
    "persona": lambda task: () if task.persona is None else (task.persona.id,),
    "level": lambda task: () if task.persona is None else (str(task.persona.level),),
}
"""Fields of all tasks and their values; facets of the kind come to them."""


@dataclass(frozen=True)
class Condition:
    """A field of tasks and its allowed values; letter case does not count."""

    field: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition in `FIELD=VALUE` or `FIELD=VALUE,VALUE`.

        Raises:
            InputError: the text is not a condition, or its field is unknown.
        """
        field, equals, rest = text.partition("=")
        values = tuple(dict.fromkeys(value.strip() for value in rest.split(",") if value.strip()))
        if not equals or not values or not field.strip():
            raise InputError(f"no condition: {text!r}", where="--where", hint="write FIELD=VALUE")
        return cls(field.strip(), values)

    def check(self, known: Iterable[str]) -> None:
        """Check that the field is a known one.

        Raises:
            InputError: it is not.
        """
        if self.field not in known:
            raise unknown("tasks are not chosen by", self.field, known, "--where")

    def __str__(self) -> str:
        return f"{self.field}={','.join(self.values)}"

    def allows(self, values: Iterable[str]) -> bool:
        """Whether one of the `values` of the field is allowed."""
        wanted = set(map(folded, self.values))
        return any(folded(value) in wanted for value in values)


def conditions(texts: Iterable[str]) -> tuple[Condition, ...]:
    """Conditions as commands take them, all of which are to hold.

    Raises:
        InputError: see `Condition.parse`.
    """
    return tuple(map(Condition.parse, texts))


def those_where(
    tasks: Sequence[Task], conditions: Sequence[Condition], facets: Facets = FACETS
) -> list[Task]:
    """The tasks for which all conditions hold.

    Args:
        facets: of the tasks' kind.

    Raises:
        InputError: a field is unknown, or no task has a value that a condition asks for.
    """
    for condition in conditions:
        condition.check([*_FIELDS, *(name for name in facets if name not in _FIELDS)])
        if tasks and not any(condition.allows(_values(task, condition.field, facets)) for task in tasks):
            values = {value for task in tasks for value in _values(task, condition.field, facets) if value}
            hint = names_instead(condition.values[0], sorted(values))
            raise InputError(f"no task with {condition}", where="--where", hint=hint)
    return [
        task for task in tasks if all(each.allows(_values(task, each.field, facets)) for each in conditions)
    ]


def _values(task: Task, field: str, facets: Facets) -> tuple[str, ...]:
    return _FIELDS[field](task) if field in _FIELDS else (facets[field](task),)
