"""The tool selector: the next call, or all calls at once."""

from __future__ import annotations

import dspy

from worksmith.programs.parts.signatures import BRIEF_CALL, BRIEF_CALLS, call_rules, call_signature
from worksmith.programs.rollout import Rollout
from worksmith.programs.strategies import Strategy


class ToolSelector(dspy.Module):  # type: ignore[misc]
    """Asks the model for the next call or, by the strategy, for all calls together.

    Args:
        planned: there is a plan to follow, in any strategy.
    """

    def __init__(self, strategy: Strategy, *, planned: bool = False) -> None:
        super().__init__()
        self.stepwise = strategy.stepwise
        self.predict = dspy.Predict(call_signature(strategy, planned=planned))
        self._given = self.predict.signature.instructions

    def forward(self, rollout: Rollout) -> dspy.Prediction:
        """The choice.

        Returns:
            A prediction with `tool` and `arguments` (a dict), or with `calls`, a list of such dicts; with a
            `thought`, or `reasoning`, if the strategy has them.

        Raises:
            UnreadableReplyError: as `Rollout.ask`.
        """
        rules = call_rules(rollout.episode.kind, stepwise=self.stepwise)
        brief = BRIEF_CALL if self.stepwise else BRIEF_CALLS
        return rollout.ask(
            self.predict,
            house_rules=rules,
            # Instructions that an optimizer wrote are shown whole.
            brief=brief if self.predict.signature.instructions == self._given else "",
            trajectory=rollout.trajectory,
            **rollout.shown,
        )
