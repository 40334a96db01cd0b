"""`worksmith serve` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SECONDS = 30

ROOT = Path(__file__).parents[2]


@dataclass
class Server:
    """A running server.

    Attributes:
        line: what it printed on stdout when it began to listen.
    """

    process: subprocess.Popen[str]
    line: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """What a client's environment has to say to reach it."""
        named = {"INSTANCE_URL": self.line["url"], "SESSION_ID": self.line["token"]}
        return {
            **{f"SALESFORCE_{name}": value for name, value in named.items()},
            "REQUESTS_CA_BUNDLE": self.line["certificate"],
            "NO_PROXY": "127.0.0.1",
        }

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stop it; gives its exit code, and what it said on stderr."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, said


@contextmanager
def serving(
    what: object, *options: str, command: str = "crm", environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """A server for the duration of the block, unless it is stopped before."""
    words = [sys.executable, "-m", "worksmith.cli", "serve", command, str(what), "--port", "0", "--json"]
    process = subprocess.Popen(
        [*words, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**clean_environment(), **(environment or {})},
    )
    try:
        yield Server(process, json.loads(_stdout(process).readline() or "{}"))
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=SECONDS)


def worksmith(*arguments: object, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    command = [sys.executable, "-m", "worksmith.cli", *map(str, arguments)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**clean_environment(), **environment},
    )


def clean_environment() -> dict[str, str]:
    """This process's environment without any org, with the tests' modules, such as the stand-in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SALESFORCE_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def _stdout(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout
