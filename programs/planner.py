"""The planner: makes the plan that the following steps are given, if the strategy wants one."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import dspy

from programs.asking import ask
from programs.prompt import plan_text
from programs.readers import Reader
from programs.render import as_text
from programs.signatures import plan_signature, with_house_rules
from programs.strategies import PlanSource
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.task import Task


class Planner(dspy.Module):  # type: ignore[misc]
    """Plans by asking the model, or takes the task's own gold plan, or does nothing."""

    def __init__(self, source: PlanSource) -> None:
        super().__init__()
        self.source = source
        if source == "model":
            self.predict = dspy.Predict(plan_signature())

    def forward(
        self, *, task: Task, rules: str, offered: Collection[str], reader: Reader | None = None, **inputs: Any
    ) -> dspy.Prediction:
        """A prediction with a `plan`; the empty text if nobody plans.

        Args:
            offered: names of the tools on offer; of a task's gold plans one that needs no others is given.

        Raises:
            InputError: the gold plan is asked for and the task has none.
            UnreadableReplyError: as `programs.asking.ask`.
        """
        if self.source == "model":
            signature = with_house_rules(self.predict.signature, rules)
            return ask(self.predict, reader=reader, signature=signature, task=task.query, **inputs)
        if self.source in ("gold", "gold with arguments"):
            return dspy.Prediction(plan=_gold(task, offered, arguments=self.source != "gold"))
        return dspy.Prediction(plan="")


def _gold(task: Task, offered: Collection[str], *, arguments: bool) -> str:
    plan = task.plan_for(offered)
    if plan is None:
        raise InputError("the task has no gold plan", where=task.id, hint="choose another strategy than gold")
    return plan_text(
        (step.why, f"{step.tool} {as_text(step.arguments)}" if arguments else step.tool) for step in plan
    )
