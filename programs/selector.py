"""The tool selector: which tools are on offer, and which of them is called next with what."""

from __future__ import annotations

from typing import Any

import dspy

from programs.asking import ask
from programs.offer import REQUIRED, tools_a_step
from programs.readers import Reader
from programs.signatures import call_signature, with_house_rules
from programs.strategies import Strategy


class ToolSelector(dspy.Module):  # type: ignore[misc]
    """Asks the model for the next call (or, if the strategy says so, for all calls at once).

    Args:
        toolset: offer `all` toolkits, those `required` by the task, or of all `retrieved:K` tools a step.
    """

    def __init__(self, strategy: Strategy, toolset: str) -> None:
        super().__init__()
        self.toolset = toolset
        self.per_step = tools_a_step(toolset)
        self.predict = dspy.Predict(call_signature(strategy))

    def toolkits(self, domains: tuple[str, ...]) -> tuple[str, ...] | None:
        """The toolkits on offer for a task of these domains; None for all there are."""
        return domains if self.toolset == REQUIRED else None

    def forward(self, *, rules: str, reader: Reader | None = None, **inputs: Any) -> dspy.Prediction:
        """A prediction with `tool` and `arguments`, or with `calls`; with a thought if the strategy has them.

        Raises:
            UnreadableReplyError, ModelFailedError: as `programs.asking.ask`.
        """
        return ask(
            self.predict, reader=reader, signature=with_house_rules(self.predict.signature, rules), **inputs
        )
