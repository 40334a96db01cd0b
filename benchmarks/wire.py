"""Requests over HTTP to a model in a process of its own that takes 200 ms: their rate, cost and order.

Our evaluation has 64 and 128 episodes in flight, of five requests each. Beside it, against the same server:
`dspy.Evaluate` with `dspy.ReAct`, and 64 threads that only send such requests through our client. Then a
server that takes 60 requests in 6 seconds (60 a minute, ten times as fast), and 1,000 episodes at once in a
process of their own.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._slow_server import SlowServer, serving
from benchmarks.loop import a_task, office, react_episode

NAME = "wire"
DESCRIPTION = (
    "requests a second and CPU a request over HTTP, limits that are kept, and memory of 1,000 episodes"
)

LATENCY = 0.2
STEPS = 4
"""Tool calls of an episode; one more request finishes it."""

CALLS = STEPS + 1
LIMIT, WINDOW = 60, 6.0
IN_FLIGHT = 1000
_KEY = "BENCHMARK_KEY"


def run(quick: bool) -> dict[str, Any]:
    """Shares of the ideal rate, CPU milliseconds a request, and the other figures."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else DSPy looks for newer prices first
    rounds = 5 if quick else 20
    figures: dict[str, Any] = {
        "latency_ms": 1000 * LATENCY,
        "calls_per_episode": CALLS,
        "cores": os.cpu_count(),
    }
    with tempfile.TemporaryDirectory() as folder:
        env = office(Path(folder))
        with serving(LATENCY, STEPS) as server:
            for workers in (64, 128):
                figures |= _ours(env, server, workers, rounds)
            figures |= _react(env, server, 1 if quick else 4)
            figures |= _bare(server, rounds)
        figures["cpu_ours_to_react"] = round(figures["cpu_ms_64"] / figures["cpu_ms_react"], 2)
        figures["cpu_ours_to_bare"] = round(figures["cpu_ms_64"] / figures["cpu_ms_bare"], 2)
        figures |= _limited(env, episodes=24 if quick else 96)
    command = [sys.executable, "-m", "benchmarks.wire"]
    figures |= json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return figures


def model_of(server: SlowServer, **settings: float) -> Any:
    """A model that asks the server."""
    from worksmith.models.named import settings_of
    from worksmith.models.opening import open_model

    os.environ[_KEY] = "none"
    said = {name: str(value) for name, value in settings.items()}
    named = settings_of("openai/slow", {"api_base": server.url, "api_key_env": _KEY, **said})
    return open_model(named, "slow").copy(cache=False)


def _evaluate(env: Any, lm: Any, workers: int, episodes: int) -> Any:
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings
    from worksmith.programs.agent import Agent

    agent = Agent("act", toolset="all", env=env, max_steps=CALLS)
    settings = EvalSettings(env=env, lm=lm, workers=workers, scorers=[lambda task, episode: {"outcome": 1.0}])
    return evaluate(agent, [a_task(number) for number in range(episodes)], settings)


def _ours(env: Any, server: SlowServer, workers: int, rounds: int) -> dict[str, Any]:
    lm = model_of(server)
    _evaluate(env, lm, workers, workers)  # opens connections, fills caches
    gc.collect()
    before, cpu = server.counts()["asked"], time.process_time()
    result = _evaluate(env, lm, workers, rounds * workers)
    cpu, asked = time.process_time() - cpu, server.counts()["asked"] - before
    assert asked == rounds * workers * CALLS
    assert all(record.status == "finished" for record in result.records)
    rate = asked / result.seconds
    return {
        f"calls_per_second_{workers}": round(rate, 1),
        f"share_of_ideal_{workers}": round(rate * LATENCY / workers, 3),
        f"cpu_ms_{workers}": round(1000 * cpu / asked, 2),
    }


def _react(env: Any, server: SlowServer, rounds: int) -> dict[str, Any]:
    import dspy

    episode = react_episode(env, STEPS)

    class Program(dspy.Module):  # type: ignore[misc]
        def forward(self, number: int) -> dspy.Prediction:
            return episode()

    devset = [dspy.Example(number=number).with_inputs("number") for number in range(64 * rounds)]
    evaluator = dspy.Evaluate(
        devset=devset, metric=lambda *_: 1.0, num_threads=64, display_progress=False, display_table=False
    )
    lm = dspy.LM("openai/slow", api_base=server.url, api_key="none", cache=False)
    with dspy.context(lm=lm), contextlib.redirect_stdout(io.StringIO()):
        episode()
        before, cpu, start = server.counts()["asked"], time.process_time(), time.perf_counter()
        score = evaluator(Program()).score
    cpu, seconds = time.process_time() - cpu, time.perf_counter() - start
    asked = server.counts()["asked"] - before
    assert score == 100
    return {
        "calls_per_second_react": round(asked / seconds, 1),
        "share_of_ideal_react": round(asked / seconds * LATENCY / 64, 3),
        "cpu_ms_react": round(1000 * cpu / asked, 2),
    }


def _bare(server: SlowServer, rounds: int) -> dict[str, Any]:
    """Threads that send the requests of an episode through our client, and do nothing else."""
    from worksmith.evals.lm.single_request import single_request

    ask = single_request(model_of(server))
    requests = _requests(ask)

    def episodes(_: int) -> None:
        for _round in range(rounds):
            for request in requests:
                ask(request)

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(lambda _: ask(requests[0]), range(64)))
        cpu, start = time.process_time(), time.perf_counter()
        list(pool.map(episodes, range(64)))
        cpu, seconds = time.process_time() - cpu, time.perf_counter() - start
    asked = 64 * rounds * len(requests)
    return {
        "calls_per_second_bare": round(asked / seconds, 1),
        "share_of_ideal_bare": round(asked / seconds * LATENCY / 64, 3),
        "cpu_ms_bare": round(1000 * cpu / asked, 2),
    }


def _requests(ask: Any) -> list[Any]:
    """The requests of one episode."""
    import dspy

    sent: list[Any] = []

    class Engine:
        def complete(self, request: Any) -> Any:
            sent.append(replace(request, model="openai/slow"))
            return ask(sent[-1])

    with tempfile.TemporaryDirectory() as folder:
        _evaluate(office(Path(folder)), dspy.LM("local/asking", engine=Engine(), cache=False), 1, 1)
    return sent


def _limited(env: Any, episodes: int) -> dict[str, Any]:
    """A server with a limit: with the limit among the model's settings, and without it."""
    told = LIMIT * 60 / WINDOW
    found: dict[str, Any] = {"limit_per_minute": told}
    # Whoever is not told the limit may use the first window at once.
    for name, settings, burst in (("told", {"requests_per_minute": told}, 1), ("not_told", {}, LIMIT)):
        with serving(0.02, STEPS, (LIMIT, WINDOW)) as server:
            result = _evaluate(env, model_of(server, **settings), 64, episodes)
            counts = server.counts()
        answered = counts["asked"] - counts["refused"]
        found |= {
            f"per_minute_{name}": round(60 * (answered - burst) / counts["seconds"], 1),
            f"refused_{name}": counts["refused"],
            f"not_finished_{name}": sum(record.status != "finished" for record in result.records),
        }
    return found


def _many() -> dict[str, Any]:
    """1,000 episodes at once, with a model that takes three seconds."""
    with tempfile.TemporaryDirectory() as folder, serving(3.0, STEPS) as server:
        result = _evaluate(office(Path(folder)), model_of(server), IN_FLIGHT, IN_FLIGHT)
        counts = server.counts()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "episodes_at_once": len(result.records),
        "finished_at_once": sum(record.status == "finished" for record in result.records),
        "most_in_flight": counts["most"],
        "peak_mib_at_once": round(peak / 1024),
    }


if __name__ == "__main__":
    print(json.dumps(_many()))
