"""The command with several processes: shared changes and figures, a lost process, an orderly end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.worksmith.serving.programs.running import AUDIENCE, ISSUER, SECRET, token

PROJECT = {
    "worksmith.toml": '[environment]\nfile = "environment.py"\nname = "env"\ntasks = "tasks.jsonl"\n',
    "tasks.jsonl": '{"id":"c","query":"Close","plan": [{"tool": "close","arguments": {"ticket": "T-1"}}]}',
    "environment.py": """
import worksmith as ws

rows = [{"id": "T-1", "status": "open"}]
env = ws.Environment.from_tables(
    {"people": [{"id": "ann", "name": "Ann"}], "tickets": rows}, now="2026-01-05 09:00", personas="people"
)


@env.tool
def close(ctx: ws.Context, ticket: str) -> str:
    "Close a ticket."
    ctx["tickets"].update(ticket, status="closed")
    return "closed"


@env.commit
def commit(changes):
    with open("commits", "a") as file:
        file.write(changes.id + "\\n")
""",
    "mine.py": """
import os, time


def agent(env):
    def program(task):
        episode = env.episode(persona=task.persona)
        if task.query == "wait":
            open("waiting", "w").close()
            time.sleep(1)
        episode.call("tools.close", {"ticket": "T-1"})
        return episode.finished(str(os.getpid()))

    return program
""",
}


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    for name, text in PROJECT.items():
        (folder / name).write_text(text)
    given = ["--jwt-secret-env", "SECRET_OF_TESTS", "--audience", AUDIENCE, "--issuer", ISSUER, "--no-track"]
    command = [sys.executable, "-m", "worksmith.cli", "serve", "program", "mine:agent", ".", "--lm", "gold"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--json", *given, *options],
        cwd=folder,
        env={**os.environ, "SECRET_OF_TESTS": SECRET.decode()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline() or "{}").get("url", "")
    finally:
        process.kill()
        process.communicate()


def do(url: str, text: str = "close") -> httpx.Response:
    headers = {"Authorization": f"Bearer {token()}"}
    return httpx.post(f"{url}/tasks", json={"task": text}, headers=headers, timeout=30, trust_env=False)


@pytest.mark.slow
def test_processes_share_changes_and_end_in_order(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", "--grace", "20") as (process, url):
        first, second = (answer["answer"] for answer in _of_two(url))
        os.kill(int(first), signal.SIGKILL)

        # What one process proposed, another one commits, and both refuse to do so again.
        changes = do(url).json()["changes"]
        found = [_approved(url, changes) for _ in range(6)]
        assert sorted(found) == [200] + [409] * 5
        assert (tmp_path / "commits").read_text().split() == [changes["id"]]
        text = httpx.get(f"{url}/metrics", trust_env=False).text
        assert 'worksmith_changes_total{status="committed"} 1.0' in text

        replies: list[int] = []
        waiting = threading.Thread(target=lambda: replies.append(do(url, "wait").status_code))
        waiting.start()
        while not (tmp_path / "waiting").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
        waiting.join()
        assert replies == [200]
        assert first != second


def _of_two(url: str) -> list[dict[str, str]]:
    """Answers of both processes."""
    found: dict[str, dict[str, str]] = {}
    deadline = time.monotonic() + 60
    while len(found) < 2:
        assert time.monotonic() < deadline
        answer = do(url).json()
        found[answer["answer"]] = answer
    return list(found.values())


def _approved(url: str, changes: dict[str, str]) -> int:
    return httpx.post(
        f"{url}/changes/{changes['id']}/approve",
        json={"digest": changes["digest"]},
        headers={"Authorization": f"Bearer {token()}"},
        trust_env=False,
        timeout=30,
    ).status_code
