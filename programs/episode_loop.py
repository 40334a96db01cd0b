"""The loop of an episode: plan, choose a call, check it, make it, until the agent finishes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import dspy

from worksmith.evals.lm.failures import Ended, failure_of
from worksmith.programs.parts.checker import Check
from worksmith.programs.parts.executor import Execution
from worksmith.programs.parts.tool_retrieval import offered
from worksmith.programs.prompting.prompt import progress_text
from worksmith.programs.prompting.replies.unreadable import UnreadableReplyError
from worksmith.programs.prompting.steps import batch, step
from worksmith.programs.rollout import Rollout
from worksmith.programs.strategies import Strategy
from worksmith.tools.errors import InputError
from worksmith.tools.statuses import EpisodeStatus
from worksmith.tools.tool import FINISH

REPEATED = 3
"""Times in a row that the same call fails until the agent ends: it would go on so to its last step."""


def _calls(chosen: dspy.Prediction) -> list[dict[str, Any]]:
    """The calls of a reply that was asked for one: that one with its thought, and further native ones."""
    first = {"tool": chosen.tool, "arguments": chosen.arguments, "thought": chosen.get("thought")}
    return [first, *chosen.get("further", ())]


@dataclass(frozen=True, kw_only=True)
class EpisodeLoop:
    """The loop that strategies share, over one rollout.

    A strategy with its own `loop` has a subclass, which overrides `work` for another order of steps, or
    `choose` for another way to the next call. Requests by the components are traced, taught and compiled.

    Attributes:
        rollout: the state of the work; the loop changes it.
        max_steps: the most steps of the episode. A call is a step, and so is finishing.
        retrieved: the number of tools that each step is offered by retrieval; None for a fixed offer.
        plans: whether a plan is made before the first call.
        planner, selector, checker, executor: the components, see `worksmith.programs.agent.Agent`.
    """

    rollout: Rollout
    strategy: Strategy
    max_steps: int
    retrieved: int | None
    plans: bool
    planner: dspy.Module
    selector: dspy.Module
    checker: dspy.Module
    executor: dspy.Module

    def run(self) -> Ended:
        """Work on the task until the episode ends.

        Returns:
            The status of the episode, with the error that ended it if one did.

        Raises:
            InputError: a setting of the caller is wrong; every other error becomes a status.
        """
        try:
            if self.plans:
                self._plan()
            return Ended(self.work())
        except InputError:
            raise
        except Exception as error:
            return failure_of(error)

    def work(self) -> EpisodeStatus:
        """Make calls until the agent finishes."""
        return self._step_by_step() if self.strategy.stepwise else self._all_at_once()

    def _step_by_step(self) -> EpisodeStatus:
        """Make the calls of one reply after another, each call as its own step.

        A plan is revised after all calls of the reply: chats take no other turn between calls and results.
        """
        rollout, made, last = self.rollout, 0, deque[Any](maxlen=REPEATED)
        while made < self.max_steps:
            failed = False
            for call in _calls(self.choose()):
                if made == self.max_steps:
                    return "step_limit"
                made += 1
                if call["tool"] == FINISH:
                    rollout.choose(call)
                    return rollout.finish(call["arguments"])
                done = self.make(call)
                failed = failed or done.failed
                last.append((call["tool"], call["arguments"]) if done.failed else None)
                if last[0] is not None and last.count(last[0]) == REPEATED:
                    return "repetition"
            if failed and rollout.revisions < self.strategy.revisions:
                rollout.revisions += 1
                revised = self._plan(progress_text(rollout.trajectory.readable()))
                rollout.trajectory[-1]["plan"] = revised
        return "step_limit"

    def make(self, call: dict[str, Any]) -> Execution:
        """Make a call with `tool`, `arguments` and perhaps a `thought`, as its own step."""
        self.rollout.choose(call)
        done = self._call(call["tool"], call["arguments"], call.get("thought"))
        self.rollout.trajectory.append(step(call, done.observation.text))
        return done

    def _all_at_once(self) -> EpisodeStatus:
        ended = self._make_calls(self.choose())
        if ended is None and self.rollout.episode.kind.judges_answers:
            ended = self._make_calls(self.choose(), only_finish=True)
        return ended or "finished"

    def _make_calls(self, chosen: dspy.Prediction, *, only_finish: bool = False) -> EpisodeStatus | None:
        """Make the chosen calls and keep their observations; None if the agent has not finished by them."""
        thought, seen = chosen.get("reasoning"), []
        for number, call in enumerate(chosen.calls):
            if call["tool"] == FINISH:
                return self.rollout.finish(call["arguments"])
            if number == self.max_steps:
                return "step_limit"
            if not only_finish:
                done = self._call(call["tool"], call["arguments"], thought)
                seen.append(done.observation.text)
                thought = None
        self.rollout.trajectory.append(batch(chosen, seen))
        return None

    def _plan(self, progress: str = "") -> str:
        """A plan for the steps to come; the first one is kept as the rollout's plan."""
        rollout = self.rollout
        self._offer()
        rollout.begin("plan")
        plan = str(self.planner(rollout=rollout, progress=progress).plan)
        if rollout.plan is None:
            rollout.plan = plan
        return plan

    def choose(self) -> dspy.Prediction:
        """The next choice. The model sees an unreadable reply once, with the fault."""
        rollout = self.rollout
        self._offer()
        rollout.begin("select")
        try:
            chosen = self.selector(rollout=rollout)
        except UnreadableReplyError as error:
            complaint = f"Your reply could not be read: {error.problem}. {error.remedy}"
            rollout.trajectory.append({"reply": error.reply, "observation": complaint})
            chosen = self.selector(rollout=rollout)
        rollout.seen = len(rollout.trajectory.readable())
        return chosen

    def _offer(self) -> None:
        """Offer the tools nearest to the next step, if tools are offered by retrieval."""
        if self.retrieved is not None:
            self.rollout.offer(offered(self.rollout, self.retrieved))

    def _call(self, tool: str, arguments: dict[str, Any], thought: str | None) -> Execution:
        """Make a call unless the agent's own check is against it; the episode records it in both cases."""
        rollout = self.rollout
        episode = rollout.episode
        rollout.thoughts.append(thought or "")
        rollout.begin("check")
        check: Check = self.checker(rollout=rollout, tool=tool, arguments=arguments)
        rollout.verdicts.append(check.verdict)
        rollout.opinions.append(check.opinion)
        if check.refusal is not None:
            return Execution(episode.refuse(tool, arguments, check.refusal), failed=True)
        rollout.begin("tool")
        done: Execution = self.executor(rollout=rollout, tool=tool, arguments=arguments)
        if check.opinion is not None and episode.calls:
            rollout.opinions[-1] = replace(check.opinion, truth=episode.calls[-1].decision)
        if rollout.calls.unanswered is not None:
            raise rollout.calls.unanswered
        return done
