"""The cost of a training."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.tracking import Run
from worksmith.jobs.settings.training import TrainSettings
from worksmith.jobs.showing.printing import Facts
from worksmith.training.batches import tokens_of
from worksmith.training.material import open_material

_TIMED = 3
"""Batches that a forecast trains on beside the largest one."""


@dataclass(frozen=True)
class TrainingForecast(Facts):
    """The cost of a training, from a few timed steps.

    Attributes:
        megabytes: of memory, at most, of this process or of the GPU.
        minutes: on this machine as busy as it is now.
    """

    method: str
    model: str
    tune: str
    examples: int
    left_out: int
    tokens: int
    taught_tokens: int
    steps: int
    precision: str
    timed_steps: int
    tokens_per_second: float
    megabytes: float
    minutes: float

    def facts(self) -> dict[str, Any]:
        return dict(vars(self))


def forecast(settings: TrainSettings, *, progress: Progress = SILENT) -> TrainingForecast:
    """The cost of a training: it trains on the largest batch and a few others, and drops the result."""
    found = open_material(settings, progress)
    from worksmith.training.live import Live
    from worksmith.training.trainers import libraries_quiet, method, plan, taught_positions_only, trainer

    batches = found.batches(settings)
    whole = plan(settings, batches)
    largest = max(batches, key=lambda batch: sum(map(tokens_of, batch)))
    timed = [largest, *(batches[at * len(batches) // _TIMED] for at in range(_TIMED))]
    short = plan(settings.model_copy(update={"epochs": 1.0, "max_steps": None}), timed)
    with (
        tempfile.TemporaryDirectory() as folder,
        progress.bar("timing") as tick,
        taught_positions_only(),
        libraries_quiet(),
    ):
        live = Live(tick, Run(), SILENT)
        made = trainer(settings, found.start, found.tokenizer, short, Path(folder), live)
        made.args.save_strategy = "no"
        made.train()
    seconds, tokens = map(sum, zip(*(live.paces[1:] or live.paces), strict=True))
    every = found.tokens * whole.steps / len(batches)
    return TrainingForecast(
        method=method(settings),
        model=settings.model,
        tune=settings.tune,
        examples=len(found.examples),
        left_out=found.left_out,
        tokens=found.tokens,
        taught_tokens=found.taught,
        steps=whole.steps,
        precision="bfloat16" if whole.bfloat16 else "float32",
        timed_steps=short.steps,
        tokens_per_second=round(tokens / seconds, 1),
        megabytes=_peak(),
        minutes=round(every / (tokens / seconds) / 60, 1),
    )


def _peak() -> float:
    """The most megabytes of memory so far: of the GPU, or of this process."""
    import torch

    if torch.cuda.is_available():
        return round(float(torch.cuda.max_memory_allocated()) / 1e6)
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
