"""Tasks a second with a slow model and many workers: our runner and agent beside `dspy.Evaluate` and ReAct.

Each task takes nine model calls of 20 ms, eight of them for tools; ReAct makes a tenth, for the answer. Both
sides get the same workers, tools, replies and latency; both are timed from the first task to the last.
"""

from __future__ import annotations

import contextlib
import io
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.loop import a_task, instant_lm, office, our_agent, react_episode

NAME = "workers"
DESCRIPTION = "tasks a second at 128 workers and 20 ms latency, against dspy.Evaluate and dspy.ReAct"

WORKERS = 128
LATENCY = 0.020
STEPS = 8


def run(quick: bool) -> dict[str, Any]:
    """Throughput of both sides and their ratio."""
    import dspy

    with tempfile.TemporaryDirectory() as folder:
        env = office(Path(folder))
        lm = instant_lm(STEPS, LATENCY)
        with dspy.context(lm=lm, disable_history=True):
            ours = _ours(env, lm, 512 if quick else 1536)
            theirs = _theirs(env, 192 if quick else 512)
    return {
        "workers": WORKERS,
        "latency_ms": 1000 * LATENCY,
        "calls_per_task": STEPS + 1,
        "tasks_per_second_worksmith": round(ours, 1),
        "tasks_per_second_dspy": round(theirs, 1),
        "ratio_128": round(ours / theirs, 1),
        "ideal": round(WORKERS / (LATENCY * (STEPS + 1)), 1),
    }


def _ours(env: Any, lm: Any, count: int) -> float:
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings

    agent = our_agent(env, STEPS)
    tasks = [a_task(number) for number in range(count)]
    scorers = [lambda task, episode: {"outcome": 1.0}]
    agent(task=tasks[0])  # fills caches
    result = evaluate(agent, tasks, EvalSettings(env=env, lm=lm, workers=WORKERS, scorers=scorers))
    assert all(record.status == "finished" for record in result.records)
    return count / result.seconds


def _theirs(env: Any, count: int) -> float:
    import dspy

    episode = react_episode(env, STEPS)

    class Program(dspy.Module):  # type: ignore[misc]
        def forward(self, number: int) -> dspy.Prediction:
            return episode()

    devset = [dspy.Example(number=number).with_inputs("number") for number in range(count)]
    evaluator = dspy.Evaluate(
        devset=devset, metric=lambda *_: 1.0, num_threads=WORKERS, display_progress=False, display_table=False
    )
    episode()
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), _quiet("dspy"):
        score = evaluator(Program()).score
    assert score == 100
    return count / (time.perf_counter() - start)


@contextlib.contextmanager
def _quiet(name: str) -> Any:
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
