"""What open episodes cost: peak memory of a process with 32 open at once, and with 2,000 waiting on a model.

Targets over the default world: under 1.5 GB, and under 2 GB. Each situation is a process of its own over one
indexed suite; what making the index takes is a third one. An episode at rest is a changeset, so what counts
is the world (one copy a core that works at the same time), the search indexes, the embedding model and the
libraries; every process searches every source, so that all indexes are loaded.

`BENCHMARK_SUITE` may name the directory of a built suite; it is copied and indexed anew.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

NAME = "memory"
DESCRIPTION = "peak memory with 32 episodes open, with 2,000 waiting on a slow model, and while indexing"

OPEN = 32
WAITING = 2000
SUITE_VARIABLE = "BENCHMARK_SUITE"

_PATIENCE = 500
"""Seconds until whoever has not come to wait is given up on."""


def run(quick: bool) -> dict[str, Any]:
    """Peak resident memory in MiB of all situations."""
    embedder = "static" if quick else "minilm"
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        _bring(suite, 0.05 if quick else 1.0)
        figures: dict[str, Any] = {
            "embedder": embedder,
            "cores": os.cpu_count(),
            "world_mib": _mib((suite / "world.sqlite").stat().st_size),
        }
        for situation in ("index", "open", "waiting"):
            figures |= json.loads(_python("-m", "benchmarks.memory", situation, str(suite), embedder))
        arrays = (suite / "index" / "arrays").iterdir()
        figures["index_arrays_mib"] = _mib(sum(file.stat().st_size for file in arrays))
    return figures


def _bring(suite: Path, scale: float) -> None:
    given = os.environ.get(SUITE_VARIABLE)
    if given:
        shutil.copytree(given, suite, ignore=shutil.ignore_patterns("index"))
    else:
        command = ["suite", "build", "enterprise", "--out", str(suite), "--scale", str(scale)]
        _python("-m", "worksmith.cli", *command)


def _index(suite: Path, embedder: str) -> dict[str, Any]:
    """Making the search index."""
    from worksmith.retrievers.index.building import build_index
    from worksmith.tools.kinds.enterprise.documents import open_library
    from worksmith.tools.world import World

    world = World.open(suite)
    library = open_library(world)
    assert library.directory is not None
    report = build_index(
        library.directory, library.documents, embedder=embedder, version=world.manifest.digest
    )
    return {"indexed": report.documents, "index_peak_mib": peak()}


def _open(suite: Path, _embedder: str) -> dict[str, Any]:
    """32 episodes of different people on as many threads, each with a write and searches of every source."""
    env, tasks = _opened(suite)
    people = list({task.persona.id: task.persona for task in tasks}.values())
    together = threading.Barrier(OPEN)

    def work(number: int) -> Any:
        episode = env.episode(persona=people[number % len(people)])
        together.wait()
        episode.call("social_platform.create", {"title": f"Note {number}", "body": "Written in an episode."})
        for name, tool in episode.toolset.items():
            if not tool.writes and "query" in tool.arguments:
                episode.call(name, {"query": f"note {number} on leave"})
        return episode

    before = peak()
    with ThreadPoolExecutor(OPEN) as pool:
        episodes = list(pool.map(work, range(OPEN)))
    assert all(episode.changeset for episode in episodes)
    statuses = [call.observation.status for episode in episodes for call in episode.calls]
    return {
        "open_episodes": len(episodes),
        "open_searches": statuses.count("ok") - OPEN,
        "open_searches_denied": statuses.count("denied"),
        "open_start_mib": before,
        "open_peak_mib": peak(),
        "open_changeset_bytes": max(len(episode.changeset) for episode in episodes),
    }


def _waiting(suite: Path, _embedder: str) -> dict[str, Any]:
    """2,000 agents in one evaluation, each with a search and what it showed, all waiting for their model."""
    import dspy

    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings
    from worksmith.programs.agent import Agent

    env, tasks = _opened(suite)
    engine = _SlowEngine(_searches(env))
    watcher = threading.Thread(target=engine.watch)
    watcher.start()
    before = peak()
    result = evaluate(
        Agent("react", toolset="all", env=env),
        [tasks[n % len(tasks)].model_copy(update={"id": f"t{n}"}) for n in range(WAITING)],
        EvalSettings(
            env=env,
            lm=dspy.LM("local/slow", engine=engine, cache=False, num_retries=0),
            workers=WAITING,
            scorers=[lambda task, episode: {"outcome": 1.0}],
        ),
    )
    watcher.join()
    return {
        "waiting_episodes": engine.seen,
        "waiting_finished": sum(record.status == "finished" for record in result.records),
        "waiting_start_mib": before,
        "waiting_peak_mib": engine.peak,
        "waiting_prompt_characters": engine.longest,
    }


class _SlowEngine:
    """Has every agent search once, then keeps it waiting until all wait."""

    digest = "slow"

    def __init__(self, searches: list[str]) -> None:
        self.seen = 0
        self.peak = 0.0
        self.longest = 0
        self._searches = searches
        self._asked = 0
        self._all_wait = threading.Event()
        self._go_on = threading.Event()
        self._lock = threading.Lock()

    def watch(self) -> None:
        """Note the peak once all wait, and let them go on."""
        self._all_wait.wait(timeout=_PATIENCE)
        self.seen, self.peak = self._asked, peak()
        self._go_on.set()

    def complete(self, request: Any) -> Any:
        from dspy import lm15

        from worksmith.programs.replaying.scripted import scripted_response

        if not any(message.role == "assistant" for message in request.messages):
            with self._lock:
                self._searches.append(self._searches.pop(0))
                tool = self._searches[0]
            text = _reply(tool, {"query": "note on leave"})
        else:
            with self._lock:
                self._asked += 1
                self.longest = max(self.longest, sum(len(m.text or "") for m in request.messages))
                if self._asked == WAITING:
                    self._all_wait.set()
            self._go_on.wait(timeout=_PATIENCE)
            text = _reply("finish", {"status": "answered", "answer": "Nothing."})
        return scripted_response(request.model, lm15.Message.assistant(text))


def _reply(tool: str, arguments: dict[str, str]) -> str:
    from worksmith.programs.prompting.render import as_fields

    return as_fields({"thought": "Look.", "tool": tool, "arguments": json.dumps(arguments)})


def _opened(suite: Path) -> tuple[Any, list[Any]]:
    from worksmith.evals.suite import Suite

    opened = Suite.open(suite)
    return opened.env, [task for task in opened.tasks if task.persona and task.persona.active]


def _searches(env: Any) -> list[str]:
    """The tools that search."""

    def names() -> Iterator[str]:
        for name, tool in env.episode().toolset.items():
            if not tool.writes and "query" in tool.arguments:
                yield name

    return list(names())


def _python(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def peak() -> float:
    """Peak resident MiB of this process. The usual way counts what the process that started it had, too."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return _mib(int(found[1]) * 1024)
    return _mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _mib(size: float) -> float:
    return round(size / 2**20, 1)


if __name__ == "__main__":
    situation = {"index": _index, "open": _open, "waiting": _waiting}[sys.argv[1]]
    print(json.dumps(situation(Path(sys.argv[2]), sys.argv[3])))
