"""The steps of an episode as a model is shown them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dspy.lm15 import Message

Step = dict[str, Any]
"""`tool`, `arguments` and `observation` of a call, or all `calls` of a reply with their `observations`; where
they apply `thought` or `reasoning`, and `plan` (a revision of the plan that followed the observation). An
unreadable reply is `reply` and `observation`."""


class Said(NamedTuple):
    """A native reply in its original form: providers need the additions to their calls back."""

    message: Message
    calls: int


def step(call: Mapping[str, Any], observation: str) -> Step:
    """The step of a call, keys in the order in which they are shown."""
    shown = {"thought": call["thought"]} if call.get("thought") is not None else {}
    return {**shown, "tool": call["tool"], "arguments": call["arguments"], "observation": observation}


def batch(chosen: Mapping[str, Any], observations: Sequence[str]) -> Step:
    """The step of all calls of one reply."""
    shown = {"reasoning": chosen["reasoning"]} if chosen.get("reasoning") is not None else {}
    return {**shown, "calls": chosen["calls"], "observations": list(observations)}


def observed(step: Step, shown: Callable[[str], str] = str) -> str:
    """The observation of a step as text; those of several calls are numbered, with the names of the tools.

    Args:
        shown: makes the visible text of each observation.
    """
    if "calls" not in step:
        return shown(as_text(step.get("observation")))
    pairs = zip(step["calls"], step["observations"], strict=False)
    return "\n".join(
        f"{number}. {call['tool']}: {shown(text)}" for number, (call, text) in enumerate(pairs, 1)
    )


def as_text(value: Any) -> str:
    """A field's value: text as it is, plain data as JSON on one line."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def read_answer(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """The answer and its status, as the arguments of `finish` have them."""
    answer = arguments.get("answer", "")
    if isinstance(answer, list):
        answer = "; ".join(as_text(value) for value in answer)
    return as_text(answer), as_text(arguments.get("status", "")).strip().lower()
