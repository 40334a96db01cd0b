"""`worksmith serve tools` as a process of its own, for the official client."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.e2e.conftest import invoke
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.suite import Suite
from worksmith.programs.prompting.native_tools import native_name

pytestmark = pytest.mark.slow


@pytest.fixture
def words(office: Path, here: Path) -> list[str]:
    return ["-m", "worksmith.cli", "serve", "tools", str(office), "--all-tasks", "--limit", "3"]


def test_an_agent_does_the_tasks_of_a_suite(office: Path, here: Path, words: list[str]) -> None:
    plans = {task.id: task for task in Suite.open(office).select(split="test", limit=3)}

    async def main() -> list[str]:
        command = StdioServerParameters(command=sys.executable, args=[*words, "--log", "log.jsonl"], cwd=here)
        with (here / "said").open("w") as said:
            async with Client(stdio_client(command, errlog=said)) as client:
                texts = [client.instructions or ""]
                for _ in plans:
                    task = next(each for each in plans.values() if each.query in texts[-1])
                    for step in task.gold_plan or ():
                        await client.call_tool(native_name(step.tool), dict(step.arguments))
                    part: Any = (await client.call_tool("next_task")).content[0]
                    texts.append(part.text)
                return texts

    assert asyncio.run(main())[-1] == "There are no more tasks."
    scores = {record.task_id: record.scores["outcome"] for record in read_log(here / "log.jsonl")}
    assert scores == dict.fromkeys(plans, 1.0)
    assert (here / "said").read_text().count(": right after") == 3
    listed = invoke("episodes", here / "log.jsonl", "--json")
    assert len(json.loads(listed.stdout)["episodes"]) == 3


def test_a_signal_scores_the_task(here: Path, words: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    assert b"instructions" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=30)

    assert process.returncode == 0, said
    (log,) = (here / "mlruns" / "logs").glob("mcp-*.jsonl")
    assert len(list(read_log(log))) == 1
    assert b"Traceback" not in said
