"""The demonstrations of a prompt, prepared: states, situations, likeness, explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from worksmith.models.analogy.demonstrations import contrast
from worksmith.models.analogy.demonstrations.lexicon import Lexicon, options
from worksmith.models.analogy.demonstrations.likeness import Likeness
from worksmith.models.analogy.explaining.explain import Explained, explain
from worksmith.models.analogy.reading.prompt import Conversation, Layout, Step, ToolNote
from worksmith.models.analogy.reading.state import Group, State, signature, states_of
from worksmith.models.analogy.reading.task import Task
from worksmith.models.analogy.reading.words import stems

_LONGEST_NAME = 60
_NAME = " _name "
_MARK = re.compile(r"[a-z_]+|None")

Label = tuple[Any, ...]
Situation = tuple[tuple[str, ...], ...]
Path = tuple[Any, ...]


@dataclass
class Demo:
    """One demonstration with its explanations."""

    conversation: Conversation
    layout: Layout
    states: list[State]
    explained: dict[tuple[int, str, str], Explained] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        return self.states[0].task

    @cached_property
    def kind(self) -> tuple[Any, ...]:
        """The calls, repetitions merged; with their number where only the words can tell it."""
        groups = self.states[-1].groups
        return tuple(
            (group.signature, 1 if _from_rows(group, groups[:place]) else len(group.calls))
            for place, group in enumerate(groups)
        )

    def explain(self, at: int, name: str, value: str) -> Explained:
        """The explanations of the value that the step uses for an argument."""
        memo = (at, name, value)
        if memo not in self.explained:
            self.explained[memo] = explain(value, name, self.states[at])
        return self.explained[memo]


def _from_rows(group: Group, before: Sequence[Group]) -> bool:
    """Whether a run's calls were made for records that had been seen."""
    seen = {cell for earlier in before for row in earlier.rows for cell in row.values()}
    return any(value in seen for call in group.calls for value in call.arguments.values())


@lru_cache(maxsize=1024)
def _prepared(conversation: Conversation, layout: Layout) -> Demo:
    return Demo(conversation, layout, states_of(conversation, layout))


@dataclass(frozen=True, eq=False)
class Example:
    demo: Demo
    number: int
    at: int

    @property
    def state(self) -> State:
        return self.demo.states[self.at]

    def state_after(self) -> State:
        return self.demo.states[self.at + 1]

    @property
    def step(self) -> Step:
        return self.demo.conversation.steps[self.at]

    @cached_property
    def label(self) -> Label:
        """The kind of step: the called tool (tools used alike count as one) and its arguments' names."""
        call = self.state_after().calls[-1]
        layout = self.demo.layout
        lists = tuple(_shape(self.step.data.get(name), layout.names) for name in layout.lists)
        return (signature(call), lists, self.marks)

    @property
    def marks(self) -> tuple[str, ...]:
        """The end of a demonstration: single words among the last arguments, such as a status."""
        if self.at < len(self.demo.conversation.steps) - 1:
            return ()
        values = self.state_after().calls[-1].arguments.values()
        return tuple(value for value in values if _MARK.fullmatch(value))


def _outlines(situation: Situation) -> tuple[Any, ...]:
    """The number of runs with the last one: with its tool, and without."""
    last = situation[-1] if situation else ()
    return (len(situation), last), (len(situation), "any tool", last[1:])


def _shape(value: Any, names: frozenset[str]) -> Any:
    """The structure of a JSON value without its leaves, except names of tools."""
    if isinstance(value, dict):
        return tuple((name, _shape(inner, names)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(_shape(inner, names) for inner in value)
    return value if isinstance(value, str) and value in names else None


class Library:
    def __init__(self, demos: Sequence[Conversation], layout: Layout, tools: Sequence[ToolNote]) -> None:
        self.demos = [_prepared(demo, layout) for demo in demos]
        self.layout = layout
        self.tools = {note.name: note for note in tools}
        names = self._names()
        texts = [_masked(demo, names) for demo in self.demos]
        self.terms = [contrast.terms(text) for text in texts]
        self.likeness = Likeness(
            texts,
            [demo.task.content(_hidden(demo, names)) for demo in self.demos],
            [demo.states[-1].situation for demo in self.demos],
        )
        self._lexicons: dict[Path, Lexicon] = {}
        self.situations: dict[Any, list[Example]] = {}
        self._kindred: dict[Any, list[Example]] = {}
        for number, demo in enumerate(self.demos):
            for at in range(len(demo.conversation.steps)):
                example = Example(demo, number, at)
                self.situations.setdefault(example.state.situation, []).append(example)
                for outline in _outlines(example.state.situation):
                    self._kindred.setdefault(outline, []).append(example)

    def kindred(self, situation: Situation, *, wide: bool) -> list[Example]:
        """The steps of demonstrations that came as far by the same last call, but in another way before it.

        Args:
            wide: if there are none, those whose last call has the same arguments.
        """
        if len(situation) < 2:
            return []
        for outline in _outlines(situation)[: 1 + wide]:
            found = [e for e in self._kindred.get(outline, []) if e.state.situation != situation]
            if found:
                return found
        return []

    def offered(self, example: Example) -> bool:
        """Whether the query's tool list has the tool that the example calls (or there is no list)."""
        tool = example.state_after().calls[-1].tool
        return not self.tools or not tool or tool in self.tools

    def feasible(self, number: int) -> float:
        """1 for a demonstration whose tools are all on offer, less for one that uses others."""
        if not self.tools:
            return 1.0
        calls = self.demos[number].states[-1].calls
        return 1.0 if all(not call.tool or call.tool in self.tools for call in calls) else 0.02

    def _names(self) -> frozenset[str]:
        """The arguments whose values are names: copied from the tasks, and not the same few each time."""
        used: dict[str, list[str]] = {}
        for demo in self.demos:
            for call in demo.states[-1].calls:
                for name, value in call.arguments.items():
                    used.setdefault(name, []).append(value)
        several = {name: values for name, values in used.items() if len(set(values)) > 1}
        return frozenset(n for n, values in several.items() if not self.options(("argument", n), values))

    def lexicon(self, slot: Path, values: Sequence[frozenset[str]]) -> Lexicon:
        """The phrases for a slot; `values` are those each demonstration uses there (empty: none)."""
        if slot not in self._lexicons:
            users = [n for n, used in enumerate(values) if used]
            self._lexicons[slot] = Lexicon(
                [self.demos[n].task for n in users],
                [values[n] for n in users],
                self._hints(slot, values),
                lambda one, other: self.likeness.between(users[one], users[other]),
            )
        return self._lexicons[slot]

    def _hints(self, slot: Path, values: Sequence[frozenset[str]]) -> Mapping[str, Sequence[str]]:
        seen = dict.fromkeys(value for used in values for value in sorted(used))
        if slot[0] == "tool":
            return {name: stems(self.tools[name].text) for name in seen if name in self.tools}
        listed = self.options(slot, tuple(seen))
        return {value: stems(value) for value in (*seen, *listed) if len(value) <= 40}

    def is_closed(self, slot: Path, values: Sequence[frozenset[str]]) -> bool:
        """Whether a slot takes one of a few values: listed ones, or ones that come again and again."""
        distinct = {value for used in values for value in used}
        uses = sum(len(used) for used in values)
        return bool(self.options(slot, tuple(distinct))) or (uses >= 4 and len(distinct) * 2 <= uses)

    def options(self, slot: Path, seen: Sequence[str]) -> tuple[str, ...]:
        """The values that a tool's description enumerates for an argument; empty when it does not."""
        for note in self.tools.values():
            found = options(note.notes.get(slot[1], ""), seen) if seen else ()
            if found:
                return found
        return ()


def _masked(demo: Demo, names: frozenset[str]) -> str:
    """A demonstration's task with a mark in place of each value of a name argument."""
    task, text = demo.task, demo.task.text
    ranges = sorted(set(_name_spans(demo, names)), key=lambda span: (span[0], -span[1]))
    pieces, done = [], 0
    for start, end in ranges:
        begin = task.tokens[start].start
        if begin >= done and _looks_like_name(task, start, end):
            pieces += [text[done:begin], _NAME]
            done = task.tokens[end - 1].end
    return "".join((*pieces, text[done:]))


def _looks_like_name(task: Task, start: int, end: int) -> bool:
    """Whether plain words of a task are worded as names are: queries cannot have them masked."""
    tokens = task.tokens[start:end]
    return not any(t.readings for t in tokens) and any(not t.text.islower() for t in tokens)


def _name_spans(demo: Demo, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The places of the values of name arguments in a demonstration's task."""
    values = {
        value
        for call in demo.states[-1].calls
        for name, value in call.arguments.items()
        if name in names and len(value) <= _LONGEST_NAME
    }
    for value in values:
        yield from demo.task.spans(value)


def _hidden(demo: Demo, names: frozenset[str]) -> frozenset[int]:
    """The tokens of values of name arguments."""
    return frozenset(
        index
        for start, end in _name_spans(demo, names)
        for index in range(start, end)
        if demo.task.tokens[index].is_word
    )


@lru_cache(maxsize=256)
def library(demos: tuple[Conversation, ...], layout: Layout, tools: tuple[ToolNote, ...]) -> Library:
    """The prepared demonstrations, remembered for the next request with the same ones."""
    return Library(demos, layout, tools)
