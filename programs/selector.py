"""The tool selector: which tools are on offer, and which of them is called next with what."""

from __future__ import annotations

from typing import Any

import dspy

from programs.asking import ask
from programs.signatures import call_signature, with_house_rules
from programs.strategies import Strategy, Toolkits


class ToolSelector(dspy.Module):  # type: ignore[misc]
    """Asks the model for the next call (or, if the strategy says so, for all calls at once).

    Args:
        toolset: offer the toolkits that the task requires, or all.
    """

    def __init__(self, strategy: Strategy, toolset: Toolkits) -> None:
        super().__init__()
        self.toolset = toolset
        self.predict = dspy.Predict(call_signature(strategy))

    def toolkits(self, domains: tuple[str, ...]) -> tuple[str, ...] | None:
        """The toolkits on offer for a task of these domains; None for all there are."""
        return None if self.toolset == "all" else domains

    def forward(self, *, rules: str, **inputs: Any) -> dspy.Prediction:
        """A prediction with `tool` and `arguments`, or with `calls`; with a thought if the strategy has them.

        Raises:
            UnreadableReplyError, ModelFailedError: as `programs.asking.ask`.
        """
        return ask(self.predict, signature=with_house_rules(self.predict.signature, rules), **inputs)
