"""The state of an episode before a step: the task, the clock, and the calls so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ParamSpec, TypeVar

from worksmith.models.analogy.reading.observation import Observation, as_text, read_observation, with_duration
from worksmith.models.analogy.reading.prompt import Conversation, Layout, Step, clock_of, task_of
from worksmith.models.analogy.reading.statements import read_form
from worksmith.models.analogy.reading.task import Task, read_task

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A tool call of the episode, arguments as text."""

    tool: str
    arguments: Mapping[str, str]
    observation: Observation


@dataclass(frozen=True)
class Group:
    """A run of consecutive calls of one tool (or of tools that are used alike)."""

    calls: tuple[Call, ...]
    signature: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[Mapping[str, str], ...]:
        """All records of the run, each once, in order."""
        return tuple(row for row, _ in self._found)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """For each record, the call of the run that gave it first."""
        return tuple(number for _, number in self._found)

    @cached_property
    def _found(self) -> tuple[tuple[Mapping[str, str], int], ...]:
        seen: dict[tuple[tuple[str, str], ...], tuple[Mapping[str, str], int]] = {}
        for number, call in enumerate(self.calls):
            for row in map(with_duration, call.observation.rows):
                seen.setdefault(tuple(row.items()), (row, number))
        return tuple(seen.values())

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for row in self.rows[:8] for name in row))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All scalars of the run, in order."""
        return tuple(item for call in self.calls for item in call.observation.items)


@dataclass
class State:
    """The state before a step.

    Attributes:
        groups: the calls so far, in runs.
        memo: values of expressions already computed.
    """

    task: Task
    clock: str
    groups: tuple[Group, ...]
    memo: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def situation(self) -> tuple[tuple[str, ...], ...]:
        """The sequence of calls so far, repetitions merged."""
        return tuple(group.signature for group in self.groups)

    @property
    def run(self) -> int:
        """The number of calls in the last run."""
        return len(self.groups[-1].calls) if self.groups else 0

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for group in self.groups for call in group.calls)

    @property
    def repeats(self) -> bool:
        *before, last = self.calls
        return any(call.tool == last.tool and call.arguments == last.arguments for call in before)

    def group(self, index: int) -> Group | None:
        """A run of calls; None where there were not as many."""
        return self.groups[index] if index < len(self.groups) else None

    def remember(self, key: Hashable, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The value under a key, made the first time."""
        if key not in self.memo:
            self.memo[key] = make(*args, **kwargs)
        found: T = self.memo[key]
        return found


def states_of(conversation: Conversation, layout: Layout) -> list[State]:
    """The state before each step of `conversation`, and the state after the last one."""
    clock = clock_of(conversation.inputs)
    task = read_task(task_of(conversation.inputs), clock)
    calls = [_call(step, layout) for step in conversation.steps]
    return [State(task, clock, _groups(calls[:count])) for count in range(len(calls) + 1)]


def _call(step: Step, layout: Layout) -> Call:
    value = step.data.get(layout.arguments or "", {})
    shown = value if isinstance(value, dict) else {}
    arguments = {name: as_text(value) for name, value in shown.items()}
    return Call(step.fields.get(layout.tool or "", ""), arguments, read_observation(step.reply))


def signature(call: Call) -> tuple[str, ...]:
    """The part that like calls share: tool and arguments; tools that give a series count as one.

    Of a statement in a query language, all but the values in it counts.
    """
    tool = "series" if call.observation.family == "series" else call.tool
    names = sorted(call.arguments)
    forms = [(name, read_form(call.arguments[name])) for name in names]
    return (tool, *(f"{name}: {form.skeleton}" if form else name for name, form in forms))


def _groups(calls: Sequence[Call]) -> tuple[Group, ...]:
    groups: list[Group] = []
    for call in calls:
        kind = signature(call)
        if groups and groups[-1].signature == kind:
            groups[-1] = Group((*groups[-1].calls, call), kind)
        else:
            groups.append(Group((call,), kind))
    return tuple(groups)
