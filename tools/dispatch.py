"""The one point that every tool call of an agent passes: validate, decide, run, filter, record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from retrievers.errors import RetrievalError
from tools.errors import InfrastructureError, ToolError
from tools.files.secrets import described
from tools.files.unicode import is_writable, writable
from tools.persona import Persona
from tools.policy import AccessDeniedError, Decision, Policy, denial_text
from tools.tool import BadArgumentsError, Tool, Toolset
from tools.tool_context import Shown

ObservationStatus = Literal[
    "ok", "tool_error", "bad_arguments", "unknown_tool", "denied", "tool_crash", "refused"
]


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent gets back from a call.

    Attributes:
        status: `tool_error` is the tool's own refusal, `tool_crash` a defect of the tool; of a call that was
            `refused` by the agent's own access checker, and never made, the text says that.
        value: the result as JSON-able data, after the policy's filter.
        text: the result as the agent reads it; shorter than the value where a tool says so (see `Shown`).
    """

    status: ObservationStatus
    value: Any
    text: str


Run = Callable[[Tool, Mapping[str, Any]], Any]
"""Runs a tool on an episode's state, with arguments that were validated."""


def dispatch(
    name: str, arguments: Any, toolset: Toolset, policy: Policy, persona: Persona, run: Run
) -> tuple[Observation, Decision | None]:
    """Make one call. Whatever the agent or a tool does wrong comes back as an observation.

    Returns:
        The observation, and the policy's decision if the call got that far.

    Raises:
        RetrievalError: the search index cannot be used. That is nobody's answer to be graded.
        InfrastructureError: nor can the live system that the tool works on.
    """
    tool = toolset.get(name)
    if tool is None:
        known = ", ".join(toolset)
        return _refusal("unknown_tool", f"{name} is not a valid tool, try one of [{known}]."), None
    if not isinstance(arguments, Mapping):
        return _refusal("bad_arguments", f"{name}: the arguments must be an object of names and values"), None
    try:
        checked = tool.validate(arguments)
    except BadArgumentsError as error:
        return _refusal("bad_arguments", str(error)), None
    decision = policy.decide(persona, name, checked)
    if not decision.allow:
        return _refusal("denied", denial_text(decision)), decision
    try:
        return _observed(lambda: run(tool, checked), name, policy, persona), decision
    except AccessDeniedError as error:
        return _refusal("denied", str(error)), error.decision


def _observed(call: Callable[[], Any], name: str, policy: Policy, persona: Persona) -> Observation:
    try:
        value = call()
    except (AccessDeniedError, RetrievalError, InfrastructureError):
        raise
    except ToolError as error:
        return _refusal("tool_error", str(error))
    except UnicodeEncodeError as error:
        # Half of a surrogate pair, which JSON can write and no database can hold.
        return _refusal("bad_arguments", f"{name}: not valid Unicode text: {error.reason}")
    except Exception as error:
        # A defect of a tool must neither end the agent's run nor pass for a wrong answer unseen.
        return _refusal("tool_crash", f"{name} failed: {described(error)}")
    whole = value.value if isinstance(value, Shown) else value
    shown = policy.visible(persona, name, whole)
    text = value.text if isinstance(value, Shown) else as_text(shown)
    if not is_writable(text):
        return _refusal("bad_arguments", f"{name}: the result would not be valid Unicode text")
    return Observation("ok", shown, text)


def as_text(value: Any) -> str:
    """A result as an agent reads it: text as it is, everything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _refusal(status: ObservationStatus, message: str) -> Observation:
    text = writable(message)
    return Observation(status, text, text)
