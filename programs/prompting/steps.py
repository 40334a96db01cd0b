"""The steps of an episode as a model is shown them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dspy.lm15 import Message

Step = dict[str, Any]
"""`tool` and `arguments` (or all `calls`), `observation`, and where they apply `thought` and `plan` (a
revision of the plan that followed the observation). A reply that could not be read is `reply` and
`observation`."""


class Said(NamedTuple):
    """A native reply as it came: providers want back what they sent along with a call.

    Attributes:
        message: the reply with its first call only.
        unmade: number of its further calls, which were not made.
    """

    message: Message
    unmade: int = 0


def step(call: Mapping[str, Any], observation: str) -> Step:
    """The step of a call, keys in the order in which they are shown."""
    shown = {"thought": call["thought"]} if call.get("thought") is not None else {}
    return {**shown, "tool": call["tool"], "arguments": call["arguments"], "observation": observation}


def batch(chosen: Mapping[str, Any], observation: str) -> Step:
    """The step of all calls of one reply, with their observations in one text."""
    shown = {"reasoning": chosen["reasoning"]} if chosen.get("reasoning") is not None else {}
    return {**shown, "calls": chosen["calls"], "observation": observation}
