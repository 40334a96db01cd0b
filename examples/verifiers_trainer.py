"""Groups of rollouts with rewards, as GRPO wants them, with the extra `verifiers`."""

import asyncio
import os
import sys
from collections.abc import Sequence
from statistics import fmean

import verifiers.v1 as vf

from worksmith.exports.verifiers import load_environment

GROUP, BATCH = 4, 8

policy = vf.ModelContext(
    client=vf.EvalClientConfig(base_url=os.environ["OPENAI_BASE_URL"], api_key_var="OPENAI_API_KEY"),
    model=os.environ["AGENT_MODEL"],
    sampling=vf.SamplingConfig(temperature=1.0),
)
"""With a trainer's vLLM it is a `vf.TrainClientConfig`; traces then hold token ids and log probabilities."""


async def group_of(env: vf.Env, task: vf.Task) -> list[tuple[vf.Trace, float]]:
    """The rollouts of one task, each with its advantage over the others; lost ones are left out."""
    episodes = await asyncio.gather(*(env.run_slot(slot, policy) for slot in env.slots(task, GROUP)))
    traces = [trace for episode in episodes for trace in episode.traces if trace.ok]
    mean = fmean(trace.reward for trace in traces) if traces else 0.0
    return [(trace, trace.reward - mean) for trace in traces]


def update(samples: Sequence[tuple[vf.Trace, float]]) -> None:
    """One step of your trainer: the messages of a trace, or its tokens, with their advantage."""
    rewards = [trace.reward for trace, _ in samples]
    turns = sum(trace.num_turns for trace, _ in samples)
    print(f"{len(samples)} rollouts, {turns} turns, mean reward {fmean(rewards or [0.0]):.2f}")


async def main(suite: str, limit: int | None = None) -> None:
    """One epoch over the train tasks."""
    env = load_environment(suite, split="train", limit=limit)
    tasks = list(env.taskset)
    async with env.serving():
        for start in range(0, len(tasks), BATCH):
            groups = await asyncio.gather(*(group_of(env, task) for task in tasks[start : start + BATCH]))
            update([sample for group in groups for sample in group])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
