"""Requests to models, with the data of their prompt for engines that answer from a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic.fields import FieldInfo

from worksmith.evals.lm.prompt_cache import RepeatingRequest
from worksmith.programs.prompting.steps import Step


@dataclass(frozen=True)
class PromptData:
    """The data of a prompt. It holds only data that the prompt shows.

    Attributes:
        asked: the fields that the reply is to have, by name, in order.
        inputs: the values of the input fields, by name; in an episode always its task.
        steps: the steps so far, unreadable replies included.
        tools: the names of the arguments of each tool on offer, by the tool's name.
        persona: the id of the person that the agent works for; empty outside an episode.
        as_json: whether the reply is one JSON object.
    """

    asked: Mapping[str, FieldInfo]
    inputs: Mapping[str, Any]
    steps: Sequence[Step] = ()
    tools: Mapping[str, Sequence[str]] = field(default_factory=dict)
    persona: str = ""
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class AgentRequest(RepeatingRequest):
    """A request of an agent. A model gets the request without `data`, which stays in this process."""

    data: PromptData = field(default_factory=lambda: PromptData({}, {}), compare=False, repr=False)
