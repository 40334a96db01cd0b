"""Requests that carry the data of their prompt, for engines that answer from a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dspy.lm15 import Request

from programs.prompting.steps import Step


@dataclass(frozen=True)
class PromptData:
    """The data of a prompt. It holds nothing that the prompt does not show.

    Attributes:
        asked: names of the fields that the reply is to have, in order.
        inputs: the values of the input fields, by name.
        steps: the steps so far, with the replies that could not be read.
        tools: names of the tools on offer, each with the names of its arguments in order.
        persona: id of the person on whose behalf the model is asked.
    """

    asked: tuple[str, ...]
    inputs: Mapping[str, Any]
    steps: Sequence[Step] = ()
    tools: Mapping[str, Sequence[str]] = field(default_factory=dict)
    persona: str = ""


@dataclass(frozen=True, slots=True)
class AgentRequest(Request):  # type: ignore[misc]
    """A request of an agent. Models are sent the request alone; `data` stays in this process."""

    data: PromptData = field(default_factory=lambda: PromptData((), {}), compare=False, repr=False)
