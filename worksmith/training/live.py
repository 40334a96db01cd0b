"""A training as it goes: the display, sentences, and figures in MLflow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback

from worksmith.evals.progress.progress import Progress, Tick
from worksmith.evals.tracking import Run

_STEADY = 120.0
"""Seconds that make the rate of tokens."""

_APART = 1.0
"""The fewest seconds between two figures in MLflow."""

_SHOWN = {
    "loss": "loss",
    "learning_rate": "learning_rate",
    "grad_norm": "gradient_norm",
    "mean_token_accuracy": "token_accuracy",
    "rewards/accuracies": "reward_accuracy",
    "rewards/margins": "reward_margin",
}
"""The figures that are kept, by TRL's names."""


class Live(TrainerCallback):  # type: ignore[misc]
    """Hears of each step.

    Attributes:
        seconds: of the steps so far, in this process.
        tokens: of those.
        paces: the seconds and the tokens of each step.
    """

    def __init__(
        self,
        tick: Tick,
        run: Run,
        progress: Progress,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tick, self._run, self._progress, self._clock = tick, run, progress, clock
        self._last = self._logged = clock()
        self._loss = 0.0
        self.seconds = 0.0
        self.tokens = 0.0
        self.paces: list[tuple[float, float]] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._last = self._logged = self._clock()
        self._tick(state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if not logs or "loss" not in logs:
            return
        now = self._clock()
        tokens = float(logs["num_tokens"]) - self.tokens
        self.paces.append((now - self._last, tokens))
        self.seconds += now - self._last
        self.tokens += tokens
        self._loss = float(logs["loss"])
        self._tick(state.global_step, state.max_steps, f"loss {self._loss:.3f}, {self.rate:,.0f} tokens/s")
        if now - self._logged >= _APART or state.global_step in (1, state.max_steps):
            figures = {name: float(logs[known]) for known, name in _SHOWN.items() if known in logs}
            self._run.metrics(figures | {"tokens_per_second": self.rate}, step=state.global_step)
            self._logged = now
        self._last = self._clock()

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Report the progress if there is no display."""
        left = self.seconds / max(1, len(self.paces)) * (state.max_steps - state.global_step)
        self._progress.say(
            f"step {state.global_step} of {state.max_steps}: loss {self._loss:.3f}, "
            f"{self.rate:,.0f} tokens/s, ends in {left / 60:.0f} min; saved"
        )
        self._last = self._clock()

    @property
    def rate(self) -> float:
        """Tokens a second in the last minutes."""
        seconds = tokens = 0.0
        for pace in reversed(self.paces):
            seconds, tokens = seconds + pace[0], tokens + pace[1]
            if seconds > _STEADY:
                break
        return tokens / seconds if seconds else 0.0
