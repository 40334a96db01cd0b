"""An episode's tools as an MCP server, for the official client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.tools.notes import episode
from worksmith.programs.own_agents.tools import ENDED, AgentTools
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.errors import InputError

pytest.importorskip("mcp")
from mcp.client import Client
from mcp.shared.exceptions import MCPError


@pytest.fixture
def tools() -> AgentTools:
    return AgentTools(episode(), with_finish=True)


def asked(tools: AgentTools, body: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    async def main() -> Any:
        async with Client(tools.mcp(), mode=mode) as client:
            return await body(client)

    return asyncio.run(main())


def call(tools: AgentTools, name: str, arguments: dict[str, Any] | None = None) -> tuple[str, bool]:
    result = asked(tools, lambda client: client.call_tool(name, arguments))
    (part,) = result.content
    return part.text, result.is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_sees_the_tools_with_their_schemas(tools: AgentTools, mode: str) -> None:
    listed = asked(tools, lambda client: client.list_tools(), mode).tools

    assert [(each.name, each.description, each.input_schema) for each in listed] == [
        (each.name, each.description, each.schema) for each in tools
    ]
    assert listed[-1].name == "finish"


def test_calls_act_in_the_episode(tools: AgentTools) -> None:
    assert call(tools, "notes__add", {"text": "eggs"}) == ("n3", False)
    assert "eggs" in tools.call("notes.search", {"text": "eggs"})


def test_mistakes_are_results_that_say_so(tools: AgentTools) -> None:
    for name, arguments, said in (
        ("notes__add", {"words": "eggs"}, "no such argument"),
        ("notes__add", None, "Field required"),
        ("notes__lose", {}, "not a valid tool"),
        ("finish", {"answer": "Done.", "persona": "boss"}, "persona: no such argument"),
    ):
        text, wrong = call(tools, name, arguments)
        assert (said in text, wrong) == (True, True)
    assert call(tools, "notes__add", {"text": "eggs"}) == ("n3", False)


def test_a_status_may_be_given_where_none_is_asked_for(tools: AgentTools) -> None:
    assert call(tools, "finish", {"answer": "Done.", "status": "answered"}) == (
        "The task is finished.",
        False,
    )


def test_after_finish_calls_are_refused(tools: AgentTools) -> None:
    assert call(tools, "finish", {"answer": "Done."})[1] is False
    assert call(tools, "notes__add", {"text": "eggs"}) == (ENDED, True)
    assert tools.answer == {"answer": "Done."}


def test_a_lost_episode_is_an_error_of_the_protocol(
    tools: AgentTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RetrievalError("the index is gone")

    async def body(client: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("notes__add", {"text": "eggs"})
        return str(caught.value)

    monkeypatch.setattr(tools._episode, "call", broken)

    assert asked(tools, body).endswith("the index is gone")
    assert isinstance(tools.failure, RetrievalError)


def test_without_the_sdk_the_extra_is_named(tools: AgentTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "worksmith.programs.own_agents.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)

    with pytest.raises(InputError, match=r"\[mcp\]"):
        tools.mcp()
