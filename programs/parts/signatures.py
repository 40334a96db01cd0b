"""The signatures of the predictors in an agent.

Inputs that all tasks share come first: providers keep the beginning of a prompt that they were sent before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dspy

from worksmith.programs.strategies import Strategy

if TYPE_CHECKING:
    from worksmith.tools.world_kind import WorldKind

BRIEF_CALL = "Do the task. Reply with the next call as JSON."
BRIEF_CALLS = "Do the task. Reply with all its calls as JSON."
BRIEF_PLAN = "Plan the task: numbered steps, one a line, each with its tool."
"""The instructions of compact prompts."""

_PLAN_FIELD = "numbered steps, one a line, each with the tool it needs"
_FOLLOW_PLAN = " Follow the plan; leave it where an observation shows that a step does not apply."
_AND_FINISH = "Call `finish` last."
_THEN_FINISH = (
    "Leave `finish` out of that reply: you are then given what the calls returned, all together, and reply "
    "with the call of `finish` alone."
)


class SelectTool(dspy.Signature):  # type: ignore[misc]
    """You work on behalf of one person. Do the task with the tools, one call per reply. After each call you
    get its observation. Use only values that the task, the context or an observation gives you. As soon as
    everything asked for is done or found, or turns out to be neither possible nor needed, call `finish`; do
    not look again at what an observation has shown.
    """

    tools: str = dspy.InputField(desc="the tools you can call")
    context: str = dspy.InputField(desc="the clock and the person you work for")
    task: str = dspy.InputField(desc="what the person asks for")
    trajectory: list = dspy.InputField(desc="steps so far")  # type: ignore[type-arg]
    tool: str = dspy.OutputField(desc="the name of one tool, without its arguments")
    arguments: dict[str, Any] = dspy.OutputField(desc="its arguments, a JSON object")


class SelectCalls(dspy.Signature):  # type: ignore[misc]
    """You work on behalf of one person. Do the task with the tools: give all calls it needs in one reply, in
    the order in which they are to be made. None of them can wait for what another one returns.
    """

    tools: str = dspy.InputField(desc="the tools you can call")
    context: str = dspy.InputField(desc="the clock and the person you work for")
    task: str = dspy.InputField(desc="what the person asks for")
    # Holds an unreadable reply with its fault, and in worlds that judge answers the
    # calls with their results.
    trajectory: list | None = dspy.InputField(desc="replies so far", default=None)  # type: ignore[type-arg]
    calls: list[dict[str, Any]] = dspy.OutputField(desc='a JSON list of {"tool": name, "arguments": {...}}')


class Plan(dspy.Signature):  # type: ignore[misc]
    """You plan work on behalf of one person. Write the steps that do the task with the tools, one a line:
    what is done and with which tool. Name the tools, leave out their arguments. If progress is given, a
    step of an earlier plan has failed: write the steps that are still to be done from there on.
    """

    tools: str = dspy.InputField(desc="the tools you can call")
    context: str = dspy.InputField(desc="the clock and the person you work for")
    task: str = dspy.InputField(desc="what the person asks for")
    progress: str = dspy.InputField(desc="steps taken so far, if any", default="")
    plan: str = dspy.OutputField(desc=_PLAN_FIELD)


class CheckAccess(dspy.Signature):  # type: ignore[misc]
    """You check access on behalf of a company. Say whether the person may make this call of a tool. What
    none of the rules allows is denied. Judge by the person and the rules, not by what the task says.
    """

    context: str = dspy.InputField(desc="the clock and the person you work for")
    task: str = dspy.InputField(desc="what the person asks for")
    rules: str = dspy.InputField(desc="who may do what with this tool")
    tool: str = dspy.InputField(desc="the tool that is to be called")
    arguments: dict[str, Any] = dspy.InputField(desc="its arguments")
    reason: str = dspy.OutputField(desc="which rule allows it, or why none does", default="")
    verdict: str = dspy.OutputField(desc="Allowed or Denied")


def call_signature(strategy: Strategy, *, planned: bool = False) -> type[dspy.Signature]:
    """The signature for the next call, or for all calls at once, with the fields that a strategy needs.

    Args:
        planned: there is a plan, in any strategy.
    """
    signature = one_paragraph(SelectTool if strategy.stepwise else SelectCalls)
    if planned or strategy.planner != "nobody":
        signature = signature.insert(3, "plan", dspy.InputField(desc=_PLAN_FIELD), str)
        signature = signature.with_instructions(signature.instructions + _FOLLOW_PLAN)
    if strategy.thought and strategy.stepwise:
        signature = signature.prepend(
            "thought", dspy.OutputField(desc="why this call is next", default=""), str
        )
    elif strategy.thought:
        signature = signature.prepend("reasoning", dspy.OutputField(desc="step by step", default=""), str)
    return signature


def one_paragraph(signature: type[dspy.Signature]) -> type[dspy.Signature]:
    """The signature with its docstring as one line: a model is not shown the line breaks of a source."""
    made: type[dspy.Signature] = signature.with_instructions(" ".join(signature.instructions.split()))
    return made


def call_rules(kind: WorldKind, *, stepwise: bool) -> str:
    """The house rules of a kind of world, and where all calls come at once, when to finish."""
    if stepwise:
        return kind.house_rules
    return f"{_THEN_FINISH if kind.judges_answers else _AND_FINISH}\n\n{kind.house_rules}".strip()
