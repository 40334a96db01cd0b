"""The steps of an episode as the model is shown them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dspy.lm15 import Message

    from programs.prompting.native import NativeTools

Step = dict[str, Any]
"""`tool` and `arguments` (or all `calls`), `observation`, and where they apply `thought` and `plan` (a
revision of the plan that followed the observation). A reply that could not be read is `reply` and
`observation`."""


class Said(NamedTuple):
    """A native reply as it came: providers want back what they sent along with a call.

    Attributes:
        message: the reply with its first call only.
        unmade: how many calls it had besides, which were not made.
    """

    message: Message
    unmade: int = 0


class Trajectory(list[Step]):
    """Steps so far of one running episode, and what the adapter has already rendered of them.

    It belongs to one predictor and one set of other inputs, and only ever grows: turns once rendered
    are never rendered again.

    Attributes:
        offer: the tools on offer in the next step, where they change from step to step. They stand in the
            last turn, so that all turns before it stay the same and a model's prompt cache can have them.
        tools: the tools on offer, where the model makes native tool calls; None where its calls are text.
        said: native replies, by the number of steps before them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rendered: list[Any] = []
        self.offer = ""
        self.tools: NativeTools | None = None
        self.said: dict[int, Said] = {}

    def readable(self) -> list[Step]:
        """The steps as plain data, without replies that could not be read."""
        return [step for step in self if "reply" not in step]


def step(call: Mapping[str, Any], observation: str) -> Step:
    """The step of a call, keys in the order in which they are shown."""
    shown = {"thought": call["thought"]} if call.get("thought") is not None else {}
    return {**shown, "tool": call["tool"], "arguments": call["arguments"], "observation": observation}


def batch(chosen: Mapping[str, Any], observation: str) -> Step:
    """The step of all calls of one reply, with what came of them together."""
    shown = {"reasoning": chosen["reasoning"]} if chosen.get("reasoning") is not None else {}
    return {**shown, "calls": chosen["calls"], "observation": observation}
