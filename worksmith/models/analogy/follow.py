"""Replying with demonstrations: decide the kind of step, fill it in, or stop."""

from __future__ import annotations

from typing import Any

from worksmith.models.analogy.deciding.decide import Decision, decide
from worksmith.models.analogy.deciding.separate import Weighted
from worksmith.models.analogy.demonstrations.library import Example, Library, library
from worksmith.models.analogy.filling import adapt
from worksmith.models.analogy.filling.compose import is_data
from worksmith.models.analogy.filling.next_call import arguments
from worksmith.models.analogy.reading.observation import as_text
from worksmith.models.analogy.reading.prompt import Prompt
from worksmith.models.analogy.reading.state import State, states_of

_MIN_SUPPORT = 0.3
_MIN_CONFIDENCE = 0.2
_MIN_LIKE = 0.28
_CHOSEN = 0.07


def reply(prompt: Prompt) -> dict[str, Any]:
    shown = library(prompt.demos, prompt.layout, prompt.tools)
    state = states_of(prompt.query, prompt.layout)[-1]
    if prompt.layout.arguments is None:
        return _single(shown, state)
    if not state.calls and _unknown(shown, state):
        return _stop(shown, state)
    for decision in decide(shown, state):
        if decision.confidence < _MIN_CONFIDENCE:
            break
        tool, filled, support = arguments(decision.examples, shown, state, further=decision.further)
        if _ends(decision.examples[0].example):
            return _step(decision, tool, filled or _shown_arguments(decision.examples), shown, state)
        if support >= _MIN_SUPPORT and not _repeats(tool, filled, decision, state):
            return _step(decision, tool, filled, shown, state)
    return _stop(shown, state)


def _unknown(shown: Library, state: State) -> bool:
    """Whether no demonstration shows such a task.

    Demonstrations that have little in common were not chosen for this query, so that one of them must be
    clearly like it. Those that have much in common were, and the nearest will do.
    """
    return shown.likeness.nearest(state.task) < _MIN_LIKE and shown.likeness.closeness < _CHOSEN


def _repeats(tool: str, filled: dict[str, Any], decision: Decision, state: State) -> bool:
    """Whether the call was made before, and demonstrations do not make theirs again here."""
    wanted = {name: as_text(value) for name, value in filled.items()}
    if not any(call.tool == tool and call.arguments == wanted for call in state.calls):
        return False
    last = state.calls[-1]
    shown = [one.example for one in decision.examples]
    again = any(example.state_after().repeats for example in shown)
    return not again or (last.tool == tool and last.arguments == wanted)


def _ends(example: Example) -> bool:
    return example.at == len(example.demo.conversation.steps) - 1


def _nearest(examples: tuple[Weighted, ...], state: State) -> Weighted:
    return max(examples, key=lambda one: (one.weight, one.example.state.run == state.run))


def _shown_arguments(examples: tuple[Weighted, ...]) -> dict[str, Any]:
    best = max(examples, key=lambda one: one.weight).example
    return dict(best.step.data.get(best.demo.layout.arguments or "", {}))


def _stop(shown: Library, state: State) -> dict[str, Any]:
    """The closing step of the demonstration most like the query; without data, if there are such."""
    near = shown.likeness.to_all(state.task)
    closing = [
        Example(demo, number, len(demo.conversation.steps) - 1) for number, demo in enumerate(shown.demos)
    ]
    last = max(closing, key=lambda one: (not _finds(one), near[one.number], -one.number))
    step, layout = last.step, shown.layout
    filled = {name: _bare(value) for name, value in step.data.get(layout.arguments or "", {}).items()}
    decision = Decision((), (Weighted(last, 1.0),), 0.0)
    return _step(decision, step.fields.get(layout.tool or "", ""), filled, shown, state)


def _finds(example: Example) -> bool:
    """Whether a closing step hands over data that its episode found."""
    return any(is_data(value) for value in example.state_after().calls[-1].arguments.values())


def _bare(value: Any) -> Any:
    """A demonstrated value; empty if it is data, which only its own episode may answer with."""
    return "" if isinstance(value, str) and is_data(value) else value


def _step(
    decision: Decision, tool: str, filled: dict[str, Any], shown: Library, state: State
) -> dict[str, Any]:
    layout, source = shown.layout, _nearest(decision.examples, state)
    shown_values = source.example.step.data.get(layout.arguments or "", {})
    changes = {
        as_text(shown_values[name]): as_text(value)
        for name, value in filled.items()
        if name in shown_values and len(as_text(value)) <= 80
    }
    fields: dict[str, Any] = {}
    for name in layout.outputs:
        if name == layout.tool:
            fields[name] = tool
        elif name == layout.arguments:
            fields[name] = filled
        else:
            fields[name] = adapt.text(source.example.step.fields.get(name, ""), source, state, changes)
    return fields


def _single(shown: Library, state: State) -> dict[str, Any]:
    """One reply without tools: lists filled in, texts adapted from the nearest demonstration."""
    decision = next(iter(decide(shown, state)), None)
    if decision is None:
        return {name: [] if name in shown.layout.lists else "" for name in shown.layout.outputs}
    source = _nearest(decision.examples, state)
    fields: dict[str, Any] = {}
    for name in shown.layout.outputs:
        if name in shown.layout.lists:
            fields[name] = adapt.listed(decision.examples, name, shown, state)
        else:
            fields[name] = adapt.text(source.example.step.fields.get(name, ""), source, state, {})
    return fields
