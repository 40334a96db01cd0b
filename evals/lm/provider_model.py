"""A provider's model whose saved state has no credential."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.clients.base_lm import LM_CLASS_STATE_KEY

from worksmith.evals.lm.wire.settings import WireSettings

_UNSAVED = ("headers", "extra_headers", "timeout")


class ProviderModel(dspy.LM):  # type: ignore[misc]
    """A `dspy.LM`. DSPy saves one without its key; this one is also saved without headers and timeouts.

    Args:
        wire: limits of its requests; None without one.
        tool_calls: whether the model has native tool calls; None if only lists of models decide.
        constrained: `json_schema` if its server holds replies to a schema.
    """

    def __init__(
        self,
        model: str,
        *,
        wire: WireSettings | None = None,
        tool_calls: bool | None = None,
        constrained: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(model, **settings)
        self.wire = wire or WireSettings()
        self.tool_calls = tool_calls
        self.constrained = constrained

    @property
    def supports_function_calling(self) -> bool:
        return bool(super().supports_function_calling) if self.tool_calls is None else self.tool_calls

    def dump_state(self) -> dict[str, Any]:
        """The state, which loads as a `dspy.LM`."""
        state = {name: value for name, value in super().dump_state().items() if name not in _UNSAVED}
        return {**state, LM_CLASS_STATE_KEY: f"{dspy.LM.__module__}.{dspy.LM.__qualname__}"}
