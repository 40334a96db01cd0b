"""Dispatch of tool calls: validate the arguments, ask the policy, run the tool, filter the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import to_jsonable_python

from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.errors import InfrastructureError, ToolError
from worksmith.tools.files.secrets import described
from worksmith.tools.files.unicode import is_writable, writable
from worksmith.tools.persona import Persona
from worksmith.tools.policy import AccessDeniedError, Decision, Policy, denial_text
from worksmith.tools.tool import BadArgumentsError, Tool, Toolset
from worksmith.tools.tool_context import Shown, ToolContext

ObservationStatus = Literal[
    "ok", "tool_error", "bad_arguments", "unknown_tool", "denied", "tool_crash", "refused"
]


@dataclass(frozen=True, slots=True)
class Observation:
    """The reply to a call of a tool.

    Attributes:
        status: `ok`; `denied` by the policy; `unknown_tool`, `bad_arguments`; `tool_error`, the tool's own
            refusal; `tool_crash`, a defect of the tool; `refused`, a call that the agent's own access checker
            refused, so that it was not made.
        value: the result as JSON-able data, after the policy's filter.
        text: the result as the agent reads it; shorter than the value if a tool shortens it (see `Shown`).
    """

    status: ObservationStatus
    value: Any
    text: str


NO_OBJECT = "the arguments must be an object of names and values"

WITHHELD = "withheld"
"""How a result calls the private fields that it does not show."""

ONLY_READABLE = "only what you may read"
"""The note of a result on the sources of which it may show only a part."""

Run = Callable[[Tool, Mapping[str, Any]], Any]
"""Runs a tool on an episode's state; takes the tool and its validated arguments."""


def dispatch(
    name: str, arguments: Any, toolset: Toolset, policy: Policy, persona: Persona, run: Run
) -> tuple[Observation, Decision | None]:
    """Make one call. Errors of the agent or of the tool come back as an observation.

    Args:
        name: the name of the tool, `toolkit.function`.
        arguments: by name, as the agent gave them.
        toolset: the tools on offer.
        policy: decides on the call before it is made, and filters the result.
        persona: the person that the agent works for.
        run: runs the tool.

    Returns:
        The observation, and the policy's decision; None if the call was refused before the policy was asked.

    Raises:
        RetrievalError: the search index cannot be used, so that the episode is not graded.
        InfrastructureError: the live system that the tool works on cannot be used; likewise.
    """
    tool = toolset.get(name)
    if tool is None:
        known = ", ".join(toolset)
        return _refusal("unknown_tool", f"{name} is not a valid tool, try one of [{known}]."), None
    if not isinstance(arguments, Mapping):
        return bad_arguments(name, NO_OBJECT), None
    try:
        checked = tool.validate(arguments)
    except BadArgumentsError as error:
        return _refusal("bad_arguments", str(error)), None
    decision = decide(policy, persona, tool, checked)
    if not decision.allow:
        return _refusal("denied", denial_text(decision)), decision
    try:
        return _observed(tool, checked, policy, persona, run), decision
    except AccessDeniedError as error:
        return _refusal("denied", str(error)), error.decision


def decide(policy: Policy, persona: Persona, tool: Tool, arguments: Mapping[str, Any]) -> Decision:
    """The policy's decision on a call with validated arguments, if rules decide on calls of its tool."""
    return policy.decide(persona, tool.name, arguments) if tool.ruled else Decision(True, "no rule")


def plain_arguments(arguments: Any) -> tuple[Any, str]:
    """Arguments as JSON, and their fault; empty without one.

    The name of its class replaces a value that is not JSON.
    """
    with suppress(ValueError):  # an object of any class, a circle, invalid UTF-8
        return to_jsonable_python(arguments), ""
    if not isinstance(arguments, Mapping):
        return type(arguments).__name__, NO_OBJECT
    plain, faults = {}, []
    for name, value in arguments.items():
        try:
            plain[str(name)] = to_jsonable_python(value)
        except ValueError:
            plain[str(name)] = type(value).__name__
            faults.append(f"{name}: {type(value).__name__} is not a JSON value")
    return plain, "; ".join(faults)


def run_tool(tool: Tool, ctx: ToolContext, arguments: Mapping[str, Any]) -> Any:
    """Run a tool; its result names withheld private fields and partly readable sources."""
    ctx.withheld.clear()
    ctx.announced.clear()
    value = _with_withheld(tool.function(ctx, **arguments), ctx)
    if not ctx.announced:
        return value
    shown = value if isinstance(value, Shown) else Shown(value, as_text(value))
    return Shown(shown.value, f"{shown.text}\n{ONLY_READABLE}: {', '.join(sorted(ctx.announced))}")


def _with_withheld(value: Any, ctx: ToolContext) -> Any:
    if not ctx.withheld:
        return value
    names = ", ".join(sorted(ctx.withheld))
    if isinstance(value, dict):
        return {**value, WITHHELD: names}
    shown = value if isinstance(value, Shown) else Shown(value, as_text(value))
    return Shown(shown.value, f"{shown.text}\n{WITHHELD}: {names}")


def _observed(
    tool: Tool, arguments: Mapping[str, Any], policy: Policy, persona: Persona, run: Run
) -> Observation:
    name = tool.name
    try:
        value = run(tool, arguments)
    except (AccessDeniedError, RetrievalError, InfrastructureError):
        raise
    except ToolError as error:
        return _refusal("tool_error", str(error))
    except UnicodeEncodeError as error:
        # Half of a surrogate pair, which JSON can write and no database can hold.
        return _refusal("bad_arguments", f"{name}: not valid Unicode text: {error.reason}")
    except Exception as error:
        # A defect of a tool neither ends the episode nor counts unseen as a mistake of the agent.
        return _refusal("tool_crash", f"{name} failed: {described(error)}")
    whole = value.value if isinstance(value, Shown) else value
    shown = policy.visible(persona, name, whole)
    text = value.text if isinstance(value, Shown) else as_text(shown)
    if not is_writable(text):
        return _refusal("bad_arguments", f"{name}: the result would not be valid Unicode text")
    return Observation("ok", shown, text)


def as_text(value: Any) -> str:
    """A result as text: a text unchanged, any other value as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def bad_arguments(name: str, fault: str) -> Observation:
    """The observation of a call that is not made, because its arguments are invalid."""
    return _refusal("bad_arguments", f"{name}: {fault}")


def _refusal(status: ObservationStatus, message: str) -> Observation:
    text = writable(message)
    return Observation(status, text, text)
