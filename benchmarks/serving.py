"""A compiled program under load: 10,000 tasks over HTTP, 64 in flight, answered by the local model.

The server is the command in a process of its own. Its memory is read after 1,000 tasks and at the end: they
should be the same. Texts repeat, because the local model remembers some thousands of them: what grows then is
the server. A task about tickets of another department changes nothing, all others propose a change.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jwt

from worksmith.evals.lm.named import DEFAULT

NAME = "serving"
DESCRIPTION = "10,000 tasks of a served program, 64 in flight: rate, latency and memory"

IN_FLIGHT = 64
TASKS, EARLY = 10_000, 1_000
TEXTS = 252
"""Different texts: a multiple of the number of tickets and of that of people."""

PEOPLE = ("kofi", "omar", "luca", "hanna")
_SECRET = "SERVING_SECRET"
_WORKSMITH = (sys.executable, "-m", "worksmith.cli")


def run(quick: bool, lm: str = DEFAULT) -> dict[str, Any]:
    """Tasks a second, latencies in milliseconds, MiB of memory, and the numbers of replies by status.

    Args:
        lm: the model that the program is compiled for and served with.
    """
    total, early = (120, 40) if quick else (TASKS, EARLY)
    os.environ[_SECRET] = secrets.token_hex(32)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "desk"
        _worksmith("new", str(project), where=folder)
        _worksmith("compile", "--no-track", "--lm", lm, where=project)
        with serving(project, lm) as (port, process):
            load = Load(port)
            load.run(IN_FLIGHT)  # the first tasks open sandboxes and load modules
            before, started = memory(process), time.monotonic()
            load.run(early)
            at_first = memory(process)
            load.run(total - early)
            seconds, at_last = time.monotonic() - started, memory(process)
    times = sorted(load.seconds[IN_FLIGHT:])
    return {
        "tasks": total,
        "in_flight": IN_FLIGHT,
        "replies": dict(load.replies),
        "proposals": load.proposals,
        "tasks_per_second": round(total / seconds, 1),
        "median_ms": round(1000 * times[len(times) // 2]),
        "p99_ms": round(1000 * times[len(times) * 99 // 100]),
        "mib_before": before,
        f"mib_after_{early}": at_first,
        f"mib_after_{total}": at_last,
    }


class Load:
    """Clients that each keep a connection and send one task after another."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lock = threading.Lock()
        self._left = self._sent = 0
        self.replies: Counter[str] = Counter()
        self.proposals = 0
        self.seconds: list[float] = []

    def run(self, tasks: int) -> None:
        self._left = tasks
        clients = [threading.Thread(target=self._client) for _ in range(IN_FLIGHT)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()

    def _client(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        while (number := self._next()) is not None:
            who = PEOPLE[number % len(PEOPLE)]
            text = f"Close T-{1001 + number % 36}, note 'Number {number % TEXTS} is done'"
            headers = {"Authorization": f"Bearer {_token(who)}", "Content-Type": "application/json"}
            started = time.monotonic()
            connection.request("POST", "/tasks", json.dumps({"task": text}), headers)
            reply = connection.getresponse()
            body = json.loads(reply.read())
            with self._lock:
                self.seconds.append(time.monotonic() - started)
                self.replies[f"{reply.status} {body.get('status', '')}".strip()] += 1
                self.proposals += bool(body.get("changes"))
        connection.close()

    def _next(self) -> int | None:
        with self._lock:
            if not self._left:
                return None
            self._left -= 1
            self._sent += 1
            return self._sent


@contextmanager
def serving(project: Path, lm: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The command `worksmith serve program`; its port and process."""
    options = ["--jwt-secret-env", _SECRET, "--audience", "desk", "--issuer", "benchmark", "--json"]
    limits = ["--port", "0", "--in-flight", "128", "--per-persona", "128", "--no-track"]
    process = subprocess.Popen(
        [*_WORKSMITH, "serve", "program", "compiled.json", ".", "--lm", lm, *options, *limits],
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield int(json.loads(process.stdout.readline())["url"].rpartition(":")[2]), process
    finally:
        process.terminate()
        process.wait(60)


def memory(process: subprocess.Popen[str]) -> int:
    """Resident memory in MiB."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) >> 10


def _token(who: str) -> str:
    claims = {"sub": who, "aud": "desk", "iss": "benchmark", "exp": time.time() + 600}
    return jwt.encode(claims, os.environ[_SECRET], "HS256")


def _worksmith(*words: str, where: Path | str) -> None:
    subprocess.run([*_WORKSMITH, *words], cwd=where, check=True, capture_output=True)
