"""Sessions of the official client over HTTP: each has an episode, which is scored when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.worksmith.serving.tools.running import CLOSE, Served, begun, make_suite, served
from worksmith.evals.suite import Suite
from worksmith.programs.own_agents.tools import ENDED
from worksmith.serving.tools.episodes import NONE_LEFT


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def at(suite: Suite, tmp_path: Path) -> Iterator[Served]:
    with served(suite, tmp_path / "log.jsonl", task="close") as running:
        yield running


async def text(client: Client, name: str, arguments: dict[str, Any] | None = None) -> str:
    (part,) = (await client.call_tool(name, arguments)).content
    return str(getattr(part, "text", ""))


async def close(client: Client) -> str:
    return await text(client, *CLOSE)


async def nothing(client: Client) -> None:
    await client.list_tools()


async def done(client: Client) -> str:
    await close(client)
    return await text(client, "finish", {"answer": "It is closed.", "status": "answered"})


def test_a_client_learns_the_task_and_the_tools(at: Served) -> None:
    async def body(client: Client) -> tuple[Any, ...]:
        prompt = (await client.get_prompt("task")).messages[0].content
        return client.instructions, getattr(prompt, "text", ""), (await client.list_tools()).tools

    ((told, prompt, tools),) = at.ask(body)

    assert told == prompt
    assert all(each in told for each in ("The task: Close T-1.", "Working for: Ann", "Call finish for that."))
    assert [tool.name for tool in tools][-1] == "finish"
    assert next(tool for tool in tools if tool.name == CLOSE[0]).input_schema["required"] == ["ticket_id"]


def test_the_end_of_a_session_scores_and_records_its_episode(suite: Suite, tmp_path: Path) -> None:
    for trial in range(2):  # a server goes on where its log ends
        with served(suite, tmp_path / "log.jsonl", task="close") as at:
            assert at.ask(close) == ["closed"]

        record = at.records[-1]
        assert (record.trial, record.task_id, record.scores["outcome"]) == (trial, "close", 1.0)
        assert [(call.tool, call.status) for call in record.calls] == [("tools.close_ticket", "ok")]
        assert at.said.lines[-1].startswith("close")
        assert at.said.lines[-1].endswith("right after 1 calls")


def test_finish_scores_at_once_and_later_calls_are_refused(at: Served) -> None:
    async def body(client: Client) -> tuple[int, str]:
        await done(client)
        return len(at.records), await close(client)

    assert at.ask(body) == [(1, ENDED)]
    (record,) = at.records
    assert (record.answer, len(record.calls)) == ("It is closed.", 1)


@pytest.mark.slow
def test_sessions_at_the_same_time_know_nothing_of_each_other(at: Served) -> None:
    assert at.ask(close, nothing, close, nothing)[::2] == ["closed", "closed"]

    records = sorted(at.records, key=lambda record: record.trial)
    assert [record.trial for record in records] == [0, 1, 2, 3]
    assert sorted(record.scores["outcome"] for record in records) == [0, 0, 1, 1]


@pytest.mark.slow
def test_all_tasks_are_handed_out_once(suite: Suite, tmp_path: Path) -> None:
    async def body(client: Client) -> list[str]:
        await close(client)
        return [await text(client, "next_task") for _ in range(3)]

    with served(suite, tmp_path / "log.jsonl", all_tasks=True) as running:
        ((second, third, end),) = running.ask(body)
        with pytest.raises(ExceptionGroup) as caught:
            running.ask(nothing)

    assert ("Close T-2." in second, "Working for: Bo" in second) == (True, True)
    assert ("Delete T-3." in third, end) == (True, NONE_LEFT)
    assert caught.group_contains(MCPError, match="all tasks have a record")
    scores = [(record.task_id, record.scores["outcome"]) for record in running.records]
    assert scores == [("close", 1.0), ("other", 0.0), ("drop", 0.0)]

    async def skip(client: Client) -> str:
        return await text(client, "next_task")

    with served(suite, tmp_path / "of-ann.jsonl", all_tasks=True, persona="ann") as running:
        running.ask(skip)
    assert [record.task_id for record in running.records] == ["close", "drop"]


@pytest.mark.slow
def test_a_persona_without_a_task_gets_no_score(suite: Suite, tmp_path: Path) -> None:
    async def body(client: Client) -> tuple[Any, ...]:
        other = await text(client, CLOSE[0], {"ticket_id": "T-2"})
        return client.server_capabilities.prompts, await close(client), other

    with served(suite, tmp_path / "log.jsonl", persona="ann") as running:
        ((prompts, own, other),) = running.ask(body)

    assert (prompts, own) == (None, "closed")
    assert "denied" in other.lower()
    assert (running.log.exists(), running.said.lines) == (False, [])


@pytest.mark.slow
def test_a_silent_session_ends(suite: Suite, tmp_path: Path) -> None:
    async def body(client: Client) -> str:
        await close(client)
        while not running.records:
            await asyncio.sleep(0.01)
        with pytest.raises(MCPError, match="session is unknown"):
            await close(client)
        return "ended"

    with served(suite, tmp_path / "log.jsonl", task="close", idle=0.3) as running:
        assert running.ask(body) == ["ended"]


@pytest.mark.slow
def test_the_end_of_the_server_ends_all_sessions(suite: Suite, tmp_path: Path) -> None:
    with served(suite, tmp_path / "log.jsonl", task="close") as running, running.http() as http:
        for _ in range(2):
            assert begun(http)
        started = time.monotonic()

    assert time.monotonic() - started < 4
    assert [record.scores["outcome"] for record in running.records] == [0, 0]
