"""Texts and lists for the query: demonstrated ones with the pieces of the task exchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from worksmith.models.analogy.deciding.separate import Weighted
from worksmith.models.analogy.demonstrations.library import Library
from worksmith.models.analogy.filling.compose import fill
from worksmith.models.analogy.filling.leaves import Leaf
from worksmith.models.analogy.reading.observation import as_text
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.task import Task

_UNSUPPORTED = 0.25


def text(shown: str, source: Weighted, state: State, changes: Mapping[str, str]) -> str:
    """A demonstrated text, with the values that differ between the two tasks exchanged."""
    swaps = {**_swaps(source.example.demo.task, state.task), **changes}
    swaps = {old: new for old, new in swaps.items() if len(old) >= 2 and old != new}
    if not swaps:
        return shown
    olds = sorted(swaps, key=lambda old: -len(old))
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(old)}(?!\w)" for old in olds))
    return pattern.sub(lambda match: swaps[match[0]], shown)


def _swaps(demo: Task, task: Task) -> dict[str, str]:
    """Typed pieces that stand at the same place of both tasks."""
    swaps: dict[str, str] = {}
    for reading in ("date", "minutes", "days", "percent", "digits", "email", "quote", "time"):
        ours, theirs = demo.pools.get(reading, ()), task.pools.get(reading, ())
        if len(ours) == len(theirs):
            for one, other in zip(ours, theirs, strict=True):
                swaps[demo.tokens[one].text] = task.tokens[other].text
    return swaps


def listed(examples: Sequence[Weighted], name: str, library: Library, state: State) -> list[Any]:
    """The JSON list of a field: the demonstrated elements, filled in.

    Elements after one without an explanation are left out, but for the last one: half of a series of actions
    is worse than none, and the last element closes the list.
    """
    lists = [(one, one.example.step.data.get(name) or []) for one in examples]
    built = []
    shapes = lists[0][1] if lists else []
    explained = True
    for index, shape in enumerate(shapes):
        leaves = [(one, values[index]) for one, values in lists]
        value, support = _value(leaves, shape, (name,), library, state)
        explained = explained and support >= _UNSUPPORTED
        if explained or index == len(shapes) - 1:
            built.append(value)
    return built


def _value(
    shown: Sequence[tuple[Weighted, Any]], shape: Any, slot: tuple[Any, ...], library: Library, state: State
) -> tuple[Any, float]:
    if isinstance(shape, dict):
        parts = {
            key: _value([(one, value[key]) for one, value in shown], inner, ("argument", key), library, state)
            for key, inner in shape.items()
        }
        weakest = min((support for _, support in parts.values()), default=1.0)
        return {key: value for key, (value, _) in parts.items()}, weakest
    if isinstance(shape, list):
        items = [
            _value([(one, value[n]) for one, value in shown], inner, slot, library, state)
            for n, inner in enumerate(shape)
        ]
        return [value for value, _ in items], min((support for _, support in items), default=1.0)
    filled = fill([Leaf(one, as_text(value)) for one, value in shown], library, state, slot)
    if filled is None:
        return shape, 0.0
    return (filled.text if isinstance(shape, str) else shape), filled.support
