"""The planner: makes the plan that the following steps are given, if the strategy wants one."""

from __future__ import annotations

from typing import Any

import dspy

from worksmith.evals.tasks.transcript import plan_text
from worksmith.programs.parts.signatures import BRIEF_PLAN, Plan, one_paragraph
from worksmith.programs.prompting.prompt import progress_text
from worksmith.programs.prompting.steps import as_text
from worksmith.programs.rollout import Rollout
from worksmith.programs.strategies import PlanSource
from worksmith.tools.errors import InputError


class Planner(dspy.Module):  # type: ignore[misc]
    """Plans by asking a model, or takes the task's own gold plan, or does nothing.

    Attributes:
        lm: the model that plans; None for the one that DSPy's settings hold. It is not saved with a program,
            and no optimizer resets it, as it does a predictor's.
    """

    def __init__(self, source: PlanSource) -> None:
        super().__init__()
        self.source = source
        self.lm: dspy.BaseLM | None = None
        if source == "model":
            self.predict = dspy.Predict(one_paragraph(Plan))
            self._given = self.predict.signature.instructions

    def forward(self, rollout: Rollout, progress: str = "") -> dspy.Prediction:
        """The plan.

        Args:
            progress: the steps so far where a step has failed; empty before the first one.

        Returns:
            A prediction with `plan`, a text; empty without a plan.

        Raises:
            InputError: the gold plan is asked for, and the task has none or is in no open suite.
            UnreadableReplyError: as `Rollout.ask`.
        """
        if self.source == "model":
            return self._asked(
                rollout,
                house_rules=rollout.episode.kind.house_rules,
                brief=BRIEF_PLAN if self.predict.signature.instructions == self._given else "",
                context=rollout.context,
                tools=rollout.tools,
                task=rollout.task.query,
                progress=progress,
            )
        return dspy.Prediction(plan="" if self.source == "nobody" else _gold(rollout, self.source))

    def _asked(self, rollout: Rollout, *, progress: str, **inputs: Any) -> dspy.Prediction:
        main = dspy.settings.lm
        with dspy.context(lm=self.lm or main):
            if progress and (length := rollout.compact_length(self.predict)) is not None:
                progress = progress_text(rollout.trajectory.readable(), length)
            # Further trials have other replies of this model, too.
            number = getattr(main, "kwargs", {}).get("rollout_id") if self.lm is not None else None
            if number is not None:
                inputs["config"] = {"rollout_id": number}
            return rollout.ask(self.predict, progress=progress, **inputs)


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
