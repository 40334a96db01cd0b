"""Episodes in worker processes and on a Ray cluster beside those in threads: the same records, and how fast.

The agent asks a server on this machine, which takes 200 ms for a reply, five questions an episode. In the
last part nothing waits: simulated models reply at once, a student to an agent that was compiled with
demonstrations, another one to a bare agent, whose episodes are so short that the driver's own work shows.

    python -m benchmarks.cluster ENGINE URL FOLDER EPISODES

runs the episodes in a process that the benchmark kills.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from benchmarks._slow_server import SlowServer, serving
from benchmarks._student import Student, simulated
from benchmarks.loop import a_task, instant_lm, office
from benchmarks.wire import model_of

NAME = "cluster"
DESCRIPTION = "records, throughput and deaths of worker processes and of a Ray cluster, beside threads"

LATENCY = 0.2
STEPS = 4
CALLS = STEPS + 1

_LOG, _WORLD = "log.jsonl", "world"

_TWO = ("processes-2", "ray-2")

Case = TypeVar("Case", str, int)


def run(quick: bool) -> dict[str, Any]:
    """Counts of differing, lost and repeated work, which are to be 0, and rates.

    Runs of the quick form are so short that its rates are those of starting workers.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else DSPy looks for newer prices first
    counts = (2,) if quick else (2, 4)
    engines = [f"{kind}-{count}" for kind in ("processes", "ray") for count in counts]
    episodes, in_flight = (100, 64) if quick else (2000, 256)
    figures: dict[str, Any] = {"cores": os.cpu_count(), "latency_ms": 1000 * LATENCY, "episodes": episodes}
    with tempfile.TemporaryDirectory() as name, serving(LATENCY, STEPS) as server:
        folder = Path(name)
        office(folder / _WORLD)
        whole = _evaluate(folder, "threads", server, folder / _LOG, episodes, in_flight)
        figures["equal_records"] = _each(
            "equal records",
            engines,
            lambda engine: (
                _plain(whole) == _plain(_evaluate(folder, engine, server, None, episodes, in_flight))
            ),
        )
        figures["worker_killed"] = _each(
            "worker killed",
            _TWO,
            lambda engine: _worker_killed(folder, engine, server, whole, episodes, in_flight),
        )
        figures["driver_killed"] = _each(
            "driver killed", _TWO, lambda engine: _driver_killed(folder, engine, server, whole, episodes)
        )
        figures["calls_per_second"] = _each(
            "calls a second",
            (64,) if quick else (64, 256, 1024),
            lambda many: _throughput(folder, server, many, 2 if quick else max(2, 1280 // many)),
        )
        figures["computed"] = _computing(folder, quick)
    return figures


def _each(part: str, cases: Iterable[Case], measure: Callable[[Case], Any]) -> dict[Case, Any]:
    """The figure of each case; each is said as soon as it is there, for the whole takes minutes."""
    found = {}
    for case in cases:
        found[case] = measure(case)
        print(f"{part}, {case}: {found[case]}", file=sys.stderr)
    return found


def _engine(name: str) -> AbstractContextManager[Any]:
    """The engine called `KIND-COUNT`; None for `threads`."""
    kind, _, count = name.partition("-")
    if kind == "threads":
        return nullcontext()
    if kind == "processes":
        from worksmith.evals.running.engines.processes import processes

        return processes(int(count))
    from worksmith.evals.running.engines.ray_cluster import RayCluster

    return RayCluster(int(count), most=int(count))


def _evaluate(
    folder: Path,
    engine: str | Any,
    server: SlowServer,
    log: Path | None,
    episodes: int,
    in_flight: int,
    **called: Any,
) -> Any:
    """The result of an evaluation; with an open engine instead of a name it goes on with that."""
    from worksmith.evals.records.log import EpisodeLog
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings

    agent, lm = _agent(folder), model_of(server)
    opening = _engine(engine) if isinstance(engine, str) else nullcontext(engine)
    keeping = nullcontext() if log is None else EpisodeLog.open(log, resume=True, replies=True)
    with opening as crew, keeping as kept:
        settings = EvalSettings(env=agent.env, lm=lm, workers=in_flight, scorers=[_finished], engine=crew)
        tasks = [a_task(number) for number in range(episodes)]
        return evaluate(agent, tasks, settings, log=kept, **{name: act(crew) for name, act in called.items()})


def _finished(task: Any, episode: Any) -> dict[str, float]:
    return {"outcome": float(episode.status == "finished")}


def _plain(result: Any) -> list[dict[str, Any]]:
    return [record.without_times() for record in result.records]


def _worker_killed(
    folder: Path, engine: str, server: SlowServer, whole: Any, episodes: int, in_flight: int
) -> dict[str, int]:
    """A worker is killed as soon as a fifth of the episodes is done."""
    killed: list[Any] = []

    def killing(crew: Any) -> Any:
        def look(progress: Any) -> None:
            if progress.done >= episodes // 5 and not killed:
                killed.append(crew.links[0])
                killed[0].close()

        return look

    before, log = server.counts()["asked"], folder / f"worker-{engine}.jsonl"
    found = _evaluate(folder, engine, server, log, episodes, in_flight, on_progress=killing)
    return {
        "killed": len(killed),
        "differing_records": _differing(found, whole),
        "repeated_requests": server.counts()["asked"] - before - episodes * CALLS,
    }


def _driver_killed(
    folder: Path, engine: str, server: SlowServer, whole: Any, episodes: int
) -> dict[str, int]:
    """The driver is killed when a third of the requests is made, and another one resumes."""
    log = folder / f"driver-{engine}.jsonl"
    before = server.counts()["asked"]
    command = [sys.executable, "-m", "benchmarks.cluster", engine, server.url, str(folder), str(episodes)]
    with subprocess.Popen(command) as driver:
        while server.counts()["asked"] - before < episodes * CALLS // 3 and driver.poll() is None:
            time.sleep(0.05)
        driver.kill()
    lines = log.read_bytes().count(b"\n")
    found = _evaluate(folder, engine, server, log, episodes, _DRIVEN)
    return {
        "episodes_before": lines,
        "repeated_episodes": log.read_bytes().count(b"\n") - episodes,
        "differing_records": _differing(found, whole),
        # A reply that was on its way when the driver died reached nobody.
        "repeated_requests_beyond_flight": max(
            0, server.counts()["asked"] - before - episodes * CALLS - _DRIVEN
        ),
    }


_DRIVEN = 32
"""Episodes in flight of a driver that is killed."""


def _differing(found: Any, whole: Any) -> int:
    return sum(one != other for one, other in zip(_plain(found), _plain(whole), strict=True))


def _throughput(folder: Path, server: SlowServer, in_flight: int, rounds: int) -> dict[str, float]:
    """Requests a second of each engine, and of as many requests in flight without any other cost."""
    found: dict[str, float] = {"ideal": in_flight / LATENCY}
    for engine in ("threads", *_TWO):
        with _engine(engine) as crew:
            # Workers start, open the world and fill their caches.
            _evaluate(folder, crew, server, None, min(64, in_flight), in_flight)
            result = _evaluate(folder, crew, server, None, rounds * in_flight, in_flight)
        found[engine] = round(len(result.records) * CALLS / result.seconds, 1)
    return found


def _computing(folder: Path, quick: bool) -> dict[str, Any]:
    """Episodes a second where nothing waits, and what a second process adds."""
    tasks = [a_task(number) for number in range(60 if quick else 2000)]
    return {
        "bare": _rates("bare agent", _agent(folder), tasks, instant_lm(STEPS)),
        "compiled": _rates("compiled agent", *_compiled(folder, quick)),
    }


def _rates(part: str, agent: Any, tasks: Sequence[Any], lm: Any) -> dict[str, Any]:
    """Episodes a second with each engine, and how much faster two workers are than one."""
    engines = ("threads", "processes-1", "processes-2", "ray-1", "ray-2")
    rates = _each(part, engines, lambda engine: _rate(agent, tasks, lm, engine))
    return {
        "episodes_per_second": rates,
        "processes_2_to_1": round(rates["processes-2"] / rates["processes-1"], 2),
        "ray_2_to_1": round(rates["ray-2"] / rates["ray-1"], 2),
    }


def _rate(agent: Any, tasks: Sequence[Any], lm: Any, engine: str) -> float:
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings

    with _engine(engine) as crew:
        settings = EvalSettings(env=agent.env, lm=lm, workers=8, scorers=[_finished], engine=crew)
        # Workers start, open the world and fill their caches.
        evaluate(agent, tasks[:16], settings)
        result = evaluate(agent, tasks, settings)
    return round(len(tasks) / float(result.seconds), 1)


def _agent(folder: Path) -> Any:
    from worksmith.programs.agent import Agent
    from worksmith.tools.environment import Environment

    return Agent("act", toolset="all", env=Environment.open(folder / _WORLD), max_steps=CALLS)


def _compiled(folder: Path, quick: bool) -> tuple[Any, Sequence[Any], Any]:
    """An agent with the nearest demonstrations in each prompt, test tasks of its office, and a student."""
    from worksmith.evals.building import build_suite
    from worksmith.jobs.compilation import compile
    from worksmith.jobs.parts.programs import load_program
    from worksmith.jobs.settings.programs import CompileSettings

    size: dict[str, Any] = {"scale": 0.3, "per_intent": 4} if quick else {}
    suite, program = build_suite("office", folder / "office", **size), folder / "program.json"
    compile(
        CompileSettings(
            suite=suite.path, lm="gold", optimizer="knn", accept="best", dev_limit=2, out=program, track=False
        )
    )
    tasks = suite.select(split="test", limit=8 if quick else None)
    return load_program(program, suite.env), tasks, simulated(Student(tasks))


def drive(engine: str, url: str, folder: str, episodes: str) -> None:
    """Run episodes until the process is killed."""
    log = Path(folder) / f"driver-{engine}.jsonl"
    _evaluate(Path(folder), engine, SlowServer(url), log, int(episodes), _DRIVEN)


if __name__ == "__main__":
    from benchmarks import cluster  # the scorer has its name from there

    cluster.drive(*sys.argv[1:])
