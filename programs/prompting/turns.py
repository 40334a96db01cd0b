"""Turns of a chat made once: those of a demonstration, and those of a running episode, which only grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import Any

from dspy.lm15 import Message, ToolCallPart

from worksmith.evals.tasks.task import same_text
from worksmith.programs.prompting.native import NativeLayout
from worksmith.programs.prompting.render import TRAJECTORY, Layout
from worksmith.programs.prompting.trajectory import Trajectory

TurnMaker = Layout | NativeLayout

Demo = Any
"""A `dspy.Example` or, in a program that was loaded, a dict."""

REMEMBERED_DEMOS = 4096

_words = lru_cache(maxsize=REMEMBERED_DEMOS)(same_text)


class Turns:
    """Makes the turns of prompts, and remembers those of demonstrations. Thread-safe."""

    def __init__(self) -> None:
        self._demos: dict[tuple[int, int], tuple[TurnMaker, Demo, list[Any], list[Message]]] = {}

    def __len__(self) -> int:
        return len(self._demos)

    def prompt(self, layout: TurnMaker, demos: Sequence[Demo], inputs: Mapping[str, Any]) -> list[Message]:
        """The turns of a prompt; without demonstrations of the very task being done."""
        turns: list[Message] = []
        for demo in demos:
            if not _gives_away(demo, inputs):
                turns.extend(self.demonstration(layout, demo))
        trajectory = inputs.get(TRAJECTORY)
        if isinstance(trajectory, Trajectory):
            return turns + _grow(layout, trajectory, inputs)
        return [*turns, layout.opening(inputs, running=True), *layout.steps(trajectory or ())]

    def demonstration(self, layout: TurnMaker, demo: Demo) -> list[Message]:
        """The turns of a demonstration, remembered for as long as its values are the same objects."""
        key = (id(layout), id(demo))
        values = list(demo.values())
        known = self._demos.get(key)
        if (
            known is not None
            and (known[0] is layout and known[1] is demo)
            and (len(known[2]) == len(values) and all(map(is_, known[2], values)))
        ):
            return known[3]
        turns = layout.demonstration(demo)
        if len(self._demos) >= REMEMBERED_DEMOS:
            self._demos.clear()
        self._demos[key] = (layout, demo, values, turns)
        return turns


def call_ids(trajectory: Trajectory) -> list[str]:
    """The ids of the native calls made so far."""
    return [call.id for said in trajectory.said.values() for call in said.message.parts_of(ToolCallPart)]


def as_dicts(turns: Sequence[Message]) -> list[dict[str, Any]]:
    return [{"role": turn.role, "content": turn.text} for turn in turns]


def _gives_away(demo: Demo, inputs: Mapping[str, Any]) -> bool:
    """Whether a demonstration is of the very task being done: it would be the solution, not an example."""
    task, shown = inputs.get("task"), demo.get("task")
    return isinstance(task, str) and isinstance(shown, str) and _words(shown) == _words(task)


def _grow(layout: TurnMaker, trajectory: Trajectory, inputs: Mapping[str, Any]) -> list[Message]:
    """The turns of the running episode; renders only the steps that are new since the last call."""
    rendered = trajectory.rendered
    if not rendered:
        rendered.append(layout.opening(inputs, running=True))
    new = range(trajectory.turned, len(trajectory))
    rendered.extend(layout.steps(trajectory[new.start :], [trajectory.said.get(number) for number in new]))
    trajectory.turned = new.stop
    if not trajectory.offer:
        return list(rendered)
    return [*rendered[:-1], layout.with_offer(rendered[-1], trajectory.offer)]
