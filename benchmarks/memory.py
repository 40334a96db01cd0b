"""What open episodes cost: the process's peak with 32 open at once, and with 2,000 waiting on a slow model.

Each measurement is a process of its own over one suite. An episode at rest is a changeset, so what counts is
the world (one copy a core), the search index and the libraries.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

NAME = "memory"
DESCRIPTION = "peak memory of a process with 32 episodes open, and with 2,000 waiting on a slow model"

OPEN = 32
WAITING = 2000


def run(quick: bool) -> dict[str, Any]:
    """Peak resident memory in MiB of both situations."""
    scale = 0.05 if quick else 1.0
    embedder = "static" if quick else "minilm"
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        command = ["suite", "build", "enterprise", "--out", str(suite), "--scale", str(scale)]
        _python("-m", "worksmith.cli", *command, "--index", embedder)
        figures = {
            "scale": scale,
            "embedder": embedder,
            "world_mib": _mib((suite / "world.sqlite").stat().st_size),
        }
        for situation in ("open", "waiting"):
            figures |= json.loads(_python("-m", "benchmarks.memory", situation, str(suite)))
    return figures


def _open(suite: Path) -> dict[str, Any]:
    """32 episodes of different people, each with a write and two searches behind it, none of them closed."""
    workshop, people = _workshop(suite)
    episodes = []
    for number in range(OPEN):
        episode = workshop.episode(persona=people[number])
        episode.call("social_platform.create", {"title": f"Note {number}", "body": "Written in an episode."})
        for name in ("social_platform.read", "document.read"):
            assert episode.call(name, {"query": f"note {number} on leave"}).status == "ok"
        episodes.append(episode)
    assert all(episode.changeset for episode in episodes)
    return {
        "open_episodes": OPEN,
        "open_peak_mib": _peak(),
        "open_changeset_bytes": len(episodes[0].changeset),
    }


def _waiting(suite: Path) -> dict[str, Any]:
    """2,000 agents with an observation behind them, all waiting for the model's next reply."""
    import dspy

    from programs.agent import Agent

    workshop, people = _workshop(suite)
    engine = _SlowEngine()
    agent = Agent("react", workshop=workshop)
    lm = dspy.LM("local/slow", engine=engine, cache=False, num_retries=0)
    threading.stack_size(256 * 1024)
    with dspy.context(lm=lm, disable_history=True):
        context = dspy.settings.copy()
    threads = [
        threading.Thread(target=_attempt, args=(agent, people[n % len(people)], n, context))
        for n in range(WAITING)
    ]
    for thread in threads:
        thread.start()
    engine.all_wait.wait(timeout=500)
    peak, waiting = _peak(), engine.waiting
    engine.go_on.set()
    for thread in threads:
        thread.join()
    return {"waiting_episodes": waiting, "waiting_peak_mib": peak}


def _attempt(agent: Any, who: Any, number: int, settings: Any) -> None:
    import dspy

    from evals.task import Task

    task = Task(
        id=f"t{number}", query=f"What is new, number {number}?", domains=("social_platform",), persona=who
    )
    with dspy.context(**settings):
        agent(task=task)


class _SlowEngine:
    """Calls one tool, then keeps every episode waiting until all wait."""

    digest = "slow"

    def __init__(self) -> None:
        self.waiting = 0
        self.all_wait = threading.Event()
        self.go_on = threading.Event()
        self._lock = threading.Lock()

    def complete(self, request: Any) -> Any:
        from dspy import lm15

        replies = sum(message.role == "assistant" for message in request.messages)
        if replies == 0:
            text = _reply("social_platform.read", {"limit": "5"})
        else:
            with self._lock:
                self.waiting += 1
                if self.waiting == WAITING:
                    self.all_wait.set()
            self.go_on.wait()
            text = _reply("finish", {"status": "answered", "answer": "Nothing."})
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant(text),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=0, output_tokens=0),
        )


def _reply(tool: str, arguments: dict[str, str]) -> str:
    fields = {"thought": "Look.", "tool": tool, "arguments": json.dumps(arguments)}
    return "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items())


def _workshop(suite: Path) -> tuple[Any, list[Any]]:
    from evals.suite import Suite

    opened = Suite.open(suite)
    people = list({task.persona.id: task.persona for task in opened.tasks if task.persona}.values())
    return opened.workshop, people


def _python(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def _peak() -> float:
    return _mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _mib(size: float) -> float:
    return round(size / 2**20, 1)


if __name__ == "__main__":
    print(json.dumps({"open": _open, "waiting": _waiting}[sys.argv[1]](Path(sys.argv[2]))))
