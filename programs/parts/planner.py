"""The planner: makes the plan that the following steps are given, if the strategy wants one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import dspy

from programs.demo_filter import Reader
from programs.lm_calls import ask
from programs.parts.signatures import plan_signature, with_house_rules
from programs.prompting.prompt import plan_text
from programs.prompting.render import as_text
from programs.strategies import PlanSource
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.tasks.task import Task, VisibleTask


class Planner(dspy.Module):  # type: ignore[misc]
    """Plans by asking the model, or takes the task's own gold plan, or does nothing."""

    def __init__(self, source: PlanSource) -> None:
        super().__init__()
        self.source = source
        if source == "model":
            self.predict = dspy.Predict(plan_signature())

    def forward(
        self,
        *,
        task: VisibleTask,
        whole: Callable[[], Task | None],
        rules: str,
        offered: Collection[str],
        reader: Reader | None = None,
        **inputs: Any,
    ) -> dspy.Prediction:
        """A prediction with a `plan`; the empty text if nobody plans.

        Args:
            whole: gives the task with its gold plans, if they are known.
            offered: names of the tools on offer; of a task's gold plans one that needs no others is given.

        Raises:
            InputError: the gold plan is asked for, and the task has none or is of no suite at hand.
            UnreadableReplyError: as `programs.lm_calls.ask`.
        """
        if self.source == "model":
            signature = with_house_rules(self.predict.signature, rules)
            return ask(self.predict, reader=reader, signature=signature, task=task.query, **inputs)
        if self.source in ("gold", "gold with arguments"):
            return dspy.Prediction(plan=_gold(task, whole(), offered, arguments=self.source != "gold"))
        return dspy.Prediction(plan="")


def _gold(task: VisibleTask, whole: Task | None, offered: Collection[str], *, arguments: bool) -> str:
    plan = None if whole is None else whole.plan_for(offered)
    if plan is None:
        raise InputError(
            "the task has no gold plan" if whole is not None else "the task's gold plan is not known here",
            where=task.id,
            hint="choose another strategy than gold"
            + ("" if whole is not None else ", or give the agent the environment of the task's suite"),
        )
    return plan_text(
        (step.why, f"{step.tool} {as_text(step.arguments)}" if arguments else step.tool) for step in plan
    )
