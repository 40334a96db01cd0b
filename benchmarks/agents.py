"""Agents of other frameworks beside worksmith's own strategies, on the same model over HTTP, in four worlds.

The agents are those of examples/agents. The model is simulated and served by `worksmith serve model`. It
follows gold plans, so an agent loses points only where the harness loses them. Strategies make native tool
calls, as the agents do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks._student import SUITES

NAME = "agents"
DESCRIPTION = "agents of other frameworks beside our strategies, on the same served model, in four worlds"

GOLD = "benchmarks._student:gold"
AGENTS = (
    "openai_loop",
    "langgraph_react",
    "openai_agents",
    "pydantic_agent",
    "dspy_react",
    "mcp_client",
)
WORLDS: Mapping[str, Sequence[str]] = {
    "own data": ("new",),
    "office": ("suite", "build", "office", "--scale", "0.3", "--per-intent", "3", "--out"),
    "crm": ("suite", "build", "crm", "--scale", "0.02", "--out"),
    "enterprise": ("suite", "build", "enterprise", "--scale", "0.02", "--index", "static", "--out"),
}
_LIMIT = 10
_ROOT = Path(__file__).parents[1]
_TOKEN = "a-token-for-benchmarks-only"
_WORKSMITH = (sys.executable, "-m", "worksmith.cli")


def run(quick: bool) -> dict[str, Any]:
    """Each program's outcome, requests and tokens an episode, by world; and the lost episodes."""
    worlds = {"own data": WORLDS["own data"]} if quick else WORLDS
    limit = 2 if quick else _LIMIT
    figures: dict[str, Any] = {"tasks_a_world": limit}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        suites = {name: _suite(command, folder / name.replace(" ", "_")) for name, command in worlds.items()}
        started = time.perf_counter()
        with _served(suites.values()) as environment:
            for name, suite in suites.items():
                figures[name] = _compared(suite, environment, folder, limit=limit, quick=quick)
    return {"model": "a simulated one", **figures, "seconds": round(time.perf_counter() - started)}


def _suite(command: Sequence[str], folder: Path) -> Path:
    subprocess.run([*_WORKSMITH, *command, str(folder)], check=True, capture_output=True)
    return folder


@contextmanager
def _served(suites: Any) -> Iterator[dict[str, str]]:
    """The model as a server; gives the environment of its clients."""
    environment = {
        **os.environ,
        SUITES: os.pathsep.join(map(str, suites)),
        "WORKSMITH_SERVE_TOKEN": _TOKEN,
        "PYTHONPATH": str(_ROOT),
    }
    words = [*_WORKSMITH, "serve", "model", GOLD, "--port", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            clients = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": _TOKEN, "AGENT_MODEL": GOLD}
            yield {**environment, **clients, "NO_PROXY": "127.0.0.1"}
        finally:
            process.terminate()


def _compared(
    suite: Path, environment: Mapping[str, str], folder: Path, *, limit: int, quick: bool
) -> dict[str, Any]:
    """The rows of one `worksmith compare`."""
    named = AGENTS[:1] if quick else AGENTS
    agents = [word for name in named for word in ("--agent", f"examples.agents.{name}:agent")]
    words = [
        *(*_WORKSMITH, "compare", str(suite), *agents, "--strategies", "act,react", "--prompt", "native"),
        *("--optimizers", "none", "--lm", f"openai/{GOLD}", "--limit", str(limit), "--no-track", "--json"),
    ]
    done = subprocess.run(words, cwd=folder, env=dict(environment), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    return {
        row["label"].removeprefix("examples.agents.").removesuffix(":agent"): _figures(row) for row in rows
    }


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    score, means = row["scores"].get("outcome", {}), row["means"]
    return {
        "outcome": None if not score else round(100 * score["value"], 1),
        "n": score.get("n", 0),
        "lost": row["errors"],
        "requests": None if "model_calls" not in means else round(means["model_calls"], 1),
        "tokens": None if "used_tokens" not in means else round(means["used_tokens"]),
    }
