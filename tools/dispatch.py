"""The one point that every tool call of an agent passes: validate, decide, run, filter, record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from retrievers.errors import RetrievalError
from tools.access.policy import AccessDeniedError, Decision, denial_text
from tools.errors import InfrastructureError, ToolError
from tools.files.secrets import described
from tools.files.unicode import is_writable, writable
from tools.result import Shown
from tools.tool import BadArgumentsError

if TYPE_CHECKING:
    from tools.episode import Episode

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


def dispatch(name: str, arguments: Any, episode: Episode) -> tuple[Observation, Decision | None]:
    """Make one call in `episode`. Whatever the agent or a tool does wrong comes back as an observation.

    Returns:
        The observation, and the policy's decision if the call got that far.

    Raises:
        RetrievalError: the search index cannot be used. That is nobody's answer to be graded.
        InfrastructureError: nor can the live system that the tool works on.
    """
    tool = episode.toolset.get(name)
    if tool is None:
        known = ", ".join(episode.toolset)
        return _refusal("unknown_tool", f"{name} is not a valid tool, try one of [{known}]."), None
    if not isinstance(arguments, Mapping):
        return _refusal("bad_arguments", f"{name}: the arguments must be an object of names and values"), None
    try:
        checked = tool.validate(arguments)
    except BadArgumentsError as error:
        return _refusal("bad_arguments", str(error)), None
    decision = episode.policy.decide(episode.persona, name, checked)
    if not decision.allow:
        return _refusal("denied", denial_text(decision)), decision
    try:
        return _run(name, checked, episode), decision
    except AccessDeniedError as error:
        return _refusal("denied", str(error)), error.decision


def _run(name: str, arguments: Mapping[str, Any], episode: Episode) -> Observation:
    try:
        value = episode.run(name, arguments)
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
    shown = episode.policy.visible(episode.persona, name, whole)
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
