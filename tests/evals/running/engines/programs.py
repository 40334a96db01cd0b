"""A program that workers import: it asks its model several times, and works in an environment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import dspy

from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult

STEPS = 4


class Asking(dspy.Module):  # type: ignore[misc]
    """Asks `STEPS` questions; the replies are its answer."""

    def __init__(self, env: Environment | None = None) -> None:
        super().__init__()
        self.env = env
        self.predict = dspy.Predict("question -> answer")

    def forward(self, task: Any) -> SimpleNamespace:
        assert self.env is not None
        episode = self.env.episode()
        said = [str(self.predict(question=f"{task.id}: {step}").answer) for step in range(STEPS)]
        answer = " ".join(said)
        result = EpisodeResult(
            status="finished", outcome=episode.outcome(), calls=episode.calls, answer=answer
        )
        return SimpleNamespace(answer=answer, episode=result)


class AskingInThread(Asking):
    """Asks in a thread that does not get the context of its episode."""

    def forward(self, task: Any) -> SimpleNamespace:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(super().forward, task).result()


def right(task: Any, episode: EpisodeResult) -> dict[str, float]:
    return {"outcome": float(len(str(episode.answer)) % 2)}
