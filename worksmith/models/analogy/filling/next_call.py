"""The next call: its tool, and its arguments one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worksmith.models.analogy.deciding.separate import Weighted
from worksmith.models.analogy.demonstrations.library import Library
from worksmith.models.analogy.filling.compose import fill
from worksmith.models.analogy.filling.leaves import Leaf, Slot
from worksmith.models.analogy.filling.mentions import choices
from worksmith.models.analogy.reading.observation import as_text
from worksmith.models.analogy.reading.prompt import read_json
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.words import extremes_of, stems


def arguments(
    examples: Sequence[Weighted], library: Library, state: State, *, further: bool
) -> tuple[str, dict[str, Any], float]:
    """Tool and arguments of the next call, and the support of the weakest part.

    Args:
        further: the call is made again for another row, so it takes the next row and not a certain one.
    """
    layout = library.layout
    tool, weakest = _tool(examples, library, state)
    filled: dict[str, Any] = {}
    shown = [(one, one.example.step.data.get(layout.arguments or "", {})) for one in examples]
    for name in next((values for _, values in shown), {}):
        leaves = [Leaf(one, as_text(values[name])) for one, values in shown]
        if leaves[0].text in shown[0][0].example.marks:
            # The end of the episode was decided; the words of the task choose nothing here.
            filled[name] = shown[0][1][name]
            continue
        value = fill(leaves, library, state, ("argument", name), further=further)
        if value is None:
            return tool, filled, 0.0
        filled[name] = _typed(value.text, [values[name] for _, values in shown])
        weakest = min(weakest, value.support)
    return tool, filled, weakest


def _tool(examples: Sequence[Weighted], library: Library, state: State) -> tuple[str, float]:
    field = library.layout.tool or ""
    names = [one.example.step.fields.get(field, "") for one in examples]
    if len(set(names)) == 1:
        return _counterpart(names[0], examples, library, state), 1.0
    leaves = [Leaf(one, name) for one, name in zip(examples, names, strict=True)]
    slot = Slot(leaves, library, state, ("tool", frozenset(names)))
    chosen = choices(slot)
    if chosen:
        return max(chosen.items(), key=lambda pair: pair[1])
    best = max(range(len(names)), key=lambda n: (slot.weights[n], -n))
    return names[best], 0.5


def _counterpart(name: str, examples: Sequence[Weighted], library: Library, state: State) -> str:
    """The tool for the other extreme, where the task asks for it and all demonstrations for this one."""
    asked = state.task.extremes
    shown = {one.example.demo.task.extremes for one in examples}
    own = library.tools.get(name)
    if own is None or len(asked) != 1 or len(shown) != 1 or not all(shown) or shown == {asked}:
        return name
    if extremes_of(stems(own.text)) not in shown:
        return name
    others = (note for note in library.tools.values() if note.arguments == own.arguments)
    return next((note.name for note in others if extremes_of(stems(note.text)) == asked), name)


def _typed(text: str, shown: Sequence[Any]) -> Any:
    """The value in the type that the demonstrations use."""
    if all(isinstance(value, str) for value in shown):
        return text
    value = read_json(text)
    return text if value is None else value
