"""One call of a run: checked, made, and kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from programs.parts.checker import refusal
from programs.parts.executor import Execution
from tools.episode_result import CallRecord

if TYPE_CHECKING:
    from programs.parts.checker import AccessChecker
    from programs.parts.executor import Executor
    from programs.rollout import Run


def make_call(
    run: Run, checker: AccessChecker, executor: Executor, tool: str, arguments: dict[str, Any]
) -> Execution:
    """Make a call unless the agent's own check keeps it from it; either way the episode has it on record.

    Raises:
        Exception: a model that was asked about the call, or by the tool, gave no reply.
    """
    verdict = checker(episode=run.episode, tool=tool, arguments=arguments)
    run.verdicts.append(verdict)
    if checker.access == "both" and verdict is not None and not verdict.allow:
        run.opinions.append(None)
        return _refused(run, tool, arguments, f"It is denied by {verdict.rule}.")
    opinion = checker.opinion(run, tool, arguments)
    if opinion is not None and opinion.allow is False:
        return _refused(run, tool, arguments, opinion.reason)
    done: Execution = executor(episode=run.episode, tool=tool, arguments=arguments)
    if opinion is not None:
        run.opinions[-1] = replace(opinion, truth=run.episode.calls[-1].decision)
    if run.unanswered is not None:
        raise run.unanswered
    return done


def _refused(run: Run, tool: str, arguments: dict[str, Any], reason: str) -> Execution:
    """A call that the agent's own check kept from being made."""
    observation = refusal(tool, reason)
    run.episode.calls.append(CallRecord(tool, arguments, observation, None, 0.0))
    return Execution(observation, failed=True)
