"""Trajectories as chats in compact prompts, exactly as an agent sends them: data to train models on.

A chat ends with the model's turn. Up to each earlier turn of the model it is the prompt of that step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from programs.parts.signatures import BRIEF_CALL, BRIEF_CALLS, BRIEF_PLAN, Plan, call_signature
from programs.prompting.compact import OBSERVATION, CompactLayout
from programs.prompting.render import TRAJECTORY
from programs.prompting.steps import Step
from programs.prompting.turns import as_dicts
from programs.strategies import Strategy
from programs.strategies import strategy as named_strategy

Chat = list[dict[str, Any]]
"""Messages with `role` and `content`."""


def chat_of_calls(
    context: str,
    task: str,
    steps: Sequence[Step],
    last: Mapping[str, Any],
    *,
    plan: str | None = None,
    strategy: str | Strategy = "act",
    observation: int = OBSERVATION,
) -> Chat:
    """The chat in which a model does a task.

    Args:
        context: the clock and the person (`programs.prompting.prompt.context_text`), and the task's own
            context below it (`with_policies`).
        steps: all but the last, with whole observations.
        last: the fields of the last reply, such as `tool` and `arguments`; usually the call of `finish`.
        plan: that the steps follow; None where the strategy has no plan.
        strategy: decides the fields of replies, such as a thought.
        observation: the most characters of an observation.
    """
    values = {"context": context, "task": task, "plan": plan, TRAJECTORY: steps, **last}
    return _chat(_of_calls(named_strategy(strategy), plan is not None, observation), values)


def chat_of_plan(context: str, task: str, plan: str, *, progress: str = "") -> Chat:
    """The chat in which a model plans a task.

    Args:
        context: as of `chat_of_calls`.
        progress: the steps so far, where the plan is a revision, see `progress_text`.
    """
    values = {"context": context, "task": task, "progress": progress, "plan": plan}
    return _chat(_of_plans(), values)


@lru_cache(maxsize=64)
def _of_calls(strategy: Strategy, planned: bool, observation: int) -> CompactLayout:
    brief = BRIEF_CALL if strategy.stepwise else BRIEF_CALLS
    signature = call_signature(strategy, planned=planned).with_instructions(brief)
    return CompactLayout.of(signature, observation)


@lru_cache(maxsize=1)
def _of_plans() -> CompactLayout:
    return CompactLayout.of(Plan.with_instructions(BRIEF_PLAN), OBSERVATION)


def _chat(layout: CompactLayout, values: Mapping[str, Any]) -> Chat:
    return [{"role": "system", "content": layout.system}, *as_dicts(layout.demonstration(values))]
