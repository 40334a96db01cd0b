"""The language model that proposes instructions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from dspy.utils.callback import BaseCallback

from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.secrets import described

if TYPE_CHECKING:
    import dspy


class ProposerMeter(BaseCallback):  # type: ignore[misc]
    """Counts calls of a model and its copies. Thread-safe, for optimizers propose from several threads.

    Attributes:
        calls: so far; one for several completions counts as several.
        answers: how many requests were answered.
        last_failure: its message; empty without a failure.
    """

    def __init__(self) -> None:
        self.calls = self.answers = 0
        self.last_failure = ""
        self._lock = threading.Lock()

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        settings = {**inputs, **(inputs.get("kwargs") or {})}
        with self._lock:
            self.calls += int(settings.get("n") or 1)

    def on_lm_end(
        self, call_id: str, outputs: dict[str, Any] | None, exception: Exception | None = None
    ) -> None:
        with self._lock:
            if exception is None:
                self.answers += 1
            else:
                self.last_failure = " ".join(described(exception).split())


@dataclass(frozen=True)
class Proposer:
    """A language model with counted calls.

    Attributes:
        seen: references (`source/key`) of the records that it was shown without redaction.
    """

    lm: dspy.LM
    meter: ProposerMeter
    seen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, lm: dspy.LM) -> Self:
        meter = ProposerMeter()
        return cls(lm.copy(callbacks=[*(getattr(lm, "callbacks", None) or ()), meter]), meter)

    def check(self) -> None:
        """Raise if the model never answered: some optimizers go on without a reply."""
        if self.meter.calls and not self.meter.answers:
            raise WorksmithError(
                f"the model that proposes instructions never answered: {self.meter.last_failure}"
            )
