"""The tasks in verifiers."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.quality.neighbours.worlds import Model

KEY = "NEIGHBOURS_KEY"


def outcomes(suite: Path, model: Model, limit: int) -> dict[str, float | None]:
    """The reward of each task by its id; None for a rollout that was lost."""
    with patch.dict(os.environ, {KEY: model.key}):
        return asyncio.run(_outcomes(suite, model, limit))


async def _outcomes(suite: Path, model: Model, limit: int) -> dict[str, float | None]:
    import verifiers.v1 as vf

    from worksmith.exports.verifiers import load_environment

    env = load_environment(suite, split="all", limit=limit)
    client = vf.EvalClientConfig(base_url=model.url, api_key_var=KEY)
    context = vf.ModelContext(client=client, model=model.name, sampling=vf.SamplingConfig())

    async def reward(task: Any) -> tuple[str, float | None]:
        (slot,) = env.slots(task)
        (trace,) = (await env.run_slot(slot, context)).traces
        return task.key, trace.reward if trace.ok else None

    async with env.serving():
        return dict(await asyncio.gather(*map(reward, env.taskset)))
