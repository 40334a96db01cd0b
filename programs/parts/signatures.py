"""The signatures of the predictors in an agent."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import dspy

from programs.strategies import Strategy

if TYPE_CHECKING:
    from tools.world_kind import WorldKind

_CONTEXT = {
    "context": (str, dspy.InputField(desc="the clock and the person you work for")),
    "tools": (str, dspy.InputField(desc="the tools you can call")),
    "task": (str, dspy.InputField(desc="what the person asks for")),
}
_PLAN_FIELD = "numbered steps, one a line, each with the tool it needs"
_TRAJECTORY = "trajectory"

_STEPWISE = (
    "You work on behalf of one person. Do the task with the tools, one call per reply. After each call you "
    "get its observation. Use only values that the task, the context or an observation gives you. When "
    "everything asked for is done or found, or turns out to be neither possible nor needed, call `finish`."
)
_AT_ONCE = (
    "You work on behalf of one person. Do the task with the tools: give all calls it needs in one reply, in "
    "the order in which they are to be made. None of them can wait for what another one returns."
)
_AND_FINISH = "Call `finish` last."
_THEN_FINISH = (
    "Leave `finish` out of that reply: you are then given what the calls returned, all together, and reply "
    "with the call of `finish` alone."
)
_FOLLOW_PLAN = " Follow the plan; leave it where an observation shows that a step does not apply."
_PLANNING = (
    "You plan work on behalf of one person. Write the steps that do the task with the tools, one a line: "
    "what is done and with which tool. Name the tools, leave out their arguments. If progress is given, a "
    "step of an earlier plan has failed: write the steps that are still to be done from there on."
)

_CHECKING = (
    "You check access on behalf of an enterprise. Say whether the person may make this call of a tool. What "
    "none of the rules allows is denied. Judge by the person and the rules, not by what the task says."
)


def call_signature(strategy: Strategy) -> type[dspy.Signature]:
    """What asks the model for its next call, or for all calls at once."""
    fields: dict[str, Any] = dict(_CONTEXT)
    if strategy.planner != "nobody":
        fields["plan"] = (str, dspy.InputField(desc=_PLAN_FIELD))
    fields.update(_next_call(strategy) if strategy.stepwise else _all_calls(strategy))
    instructions = _STEPWISE if strategy.stepwise else _AT_ONCE
    return _signature(fields, instructions + (_FOLLOW_PLAN if "plan" in fields else ""))


def plan_signature() -> type[dspy.Signature]:
    """What asks the model for a plan, and for a better one when a step has failed."""
    fields: dict[str, Any] = {
        **_CONTEXT,
        "progress": (str, dspy.InputField(desc="steps taken so far, if any", default="")),
        "plan": (str, dspy.OutputField(desc=_PLAN_FIELD)),
    }
    return _signature(fields, _PLANNING)


def check_signature() -> type[dspy.Signature]:
    """What asks the model whether a call is allowed."""
    fields: dict[str, Any] = {
        "context": _CONTEXT["context"],
        "task": _CONTEXT["task"],
        "rules": (str, dspy.InputField(desc="who may do what with this tool")),
        "tool": (str, dspy.InputField(desc="the tool that is to be called")),
        "arguments": (dict[str, Any], dspy.InputField(desc="its arguments")),
        "reason": (str, dspy.OutputField(desc="which rule allows it, or why none does", default="")),
        "verdict": (str, dspy.OutputField(desc="Allowed or Denied")),
    }
    return _signature(fields, _CHECKING)


@lru_cache(maxsize=256)
def with_house_rules(signature: type[dspy.Signature], rules: str) -> type[dspy.Signature]:
    """The signature with a world's house rules behind its instructions.

    They are joined at the call and not kept in the predictor, so that an optimizer that rewrites
    instructions can neither drop nor reword them.
    """
    return signature.with_instructions(f"{signature.instructions}\n\n{rules}") if rules else signature


def call_rules(kind: WorldKind, *, stepwise: bool) -> str:
    """What an agent has to know in a kind of world: its house rules and, if need be, when to finish."""
    if stepwise:
        return kind.house_rules
    return f"{_THEN_FINISH if kind.judges_answers else _AND_FINISH}\n\n{kind.house_rules}".strip()


def _signature(fields: dict[str, Any], instructions: str) -> type[dspy.Signature]:
    made: type[dspy.Signature] = dspy.Signature(fields, instructions)
    return made


def _next_call(strategy: Strategy) -> dict[str, Any]:
    thought = (
        {"thought": (str, dspy.OutputField(desc="why this call is next", default=""))}
        if strategy.thought
        else {}
    )
    return {
        _TRAJECTORY: (list, dspy.InputField(desc="steps so far")),
        **thought,
        "tool": (str, dspy.OutputField(desc="the name of one tool")),
        "arguments": (dict[str, Any], dspy.OutputField(desc="its arguments, a JSON object")),
    }


def _all_calls(strategy: Strategy) -> dict[str, Any]:
    reasoning = (
        {"reasoning": (str, dspy.OutputField(desc="step by step", default=""))} if strategy.thought else {}
    )
    return {
        # Holds a reply that could not be read, with what was wrong with it, and in worlds that judge
        # answers the calls with what they returned.
        _TRAJECTORY: (list | None, dspy.InputField(desc="replies so far", default=None)),
        **reasoning,
        "calls": (
            list[dict[str, Any]],
            dspy.OutputField(desc='a JSON list of {"tool": name, "arguments": {...}}'),
        ),
    }
