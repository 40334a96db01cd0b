"""The planner: makes the plan that the following steps are given, if the strategy wants one."""

from __future__ import annotations

import dspy

from programs.parts.signatures import BRIEF_PLAN, Plan, one_paragraph
from programs.prompting.prompt import plan_text, progress_text
from programs.prompting.steps import as_text
from programs.rollout import Rollout
from programs.strategies import PlanSource
from tools.errors import InputError


class Planner(dspy.Module):  # type: ignore[misc]
    """Plans by asking the model, or takes the task's own gold plan, or does nothing."""

    def __init__(self, source: PlanSource) -> None:
        super().__init__()
        self.source = source
        if source == "model":
            self.predict = dspy.Predict(one_paragraph(Plan))
            self._given = self.predict.signature.instructions

    def forward(self, rollout: Rollout, progress: str = "") -> dspy.Prediction:
        """The plan.

        Args:
            progress: the steps so far where a step has failed; empty before the first one.

        Returns:
            A prediction with `plan`, a text; empty if nobody plans.

        Raises:
            InputError: the gold plan is asked for, and the task has none or is of no suite at hand.
            UnreadableReplyError: as `Rollout.ask`.
        """
        if self.source == "model":
            if progress and (length := rollout.compact_length(self.predict)) is not None:
                progress = progress_text(rollout.trajectory.readable(), length)
            return rollout.ask(
                self.predict,
                house_rules=rollout.episode.kind.house_rules,
                brief=BRIEF_PLAN if self.predict.signature.instructions == self._given else "",
                context=rollout.context,
                tools=rollout.tools,
                task=rollout.task.query,
                progress=progress,
            )
        return dspy.Prediction(plan="" if self.source == "nobody" else _gold(rollout, self.source))


def _gold(rollout: Rollout, source: PlanSource) -> str:
    """The first gold plan that needs no tools but those on offer."""
    whole = rollout.whole_task()
    if whole is None:
        raise InputError(
            "the task's gold plan is not known here",
            where=rollout.task.id,
            hint="choose another strategy than gold, or give the agent the environment of the task's suite",
        )
    plan = whole.plan_for(rollout.catalogue)
    if plan is None:
        raise InputError(
            "the task has no gold plan", where=rollout.task.id, hint="choose another strategy than gold"
        )
    shown = source == "gold with arguments"
    return plan_text((s.why, f"{s.tool} {as_text(s.arguments)}" if shown else s.tool) for s in plan)
