"""The tool selector: which of the tools on offer is called next with what."""

from __future__ import annotations

from typing import Any

import dspy

from programs.demo_filter import Reader
from programs.lm_calls import ask
from programs.parts.signatures import call_signature, with_house_rules
from programs.strategies import Strategy


class ToolSelector(dspy.Module):  # type: ignore[misc]
    """Asks the model for the next call (or, if the strategy says so, for all calls at once)."""

    def __init__(self, strategy: Strategy) -> None:
        super().__init__()
        self.predict = dspy.Predict(call_signature(strategy))

    def forward(self, *, rules: str, reader: Reader | None = None, **inputs: Any) -> dspy.Prediction:
        """A prediction with `tool` and `arguments`, or with `calls`; with a thought if the strategy has them.

        Raises:
            UnreadableReplyError: as `programs.lm_calls.ask`.
        """
        return ask(
            self.predict, reader=reader, signature=with_house_rules(self.predict.signature, rules), **inputs
        )
