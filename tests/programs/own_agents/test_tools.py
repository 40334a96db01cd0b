"""An episode's tools in the forms of other frameworks."""

from __future__ import annotations

import asyncio
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.tools.notes import KIND, episode
from worksmith.programs.own_agents.tools import ENDED, AgentTools
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.tool import FinishCall
from worksmith.tools.tool_context import ToolContext


@pytest.fixture
def tools() -> AgentTools:
    return AgentTools(episode())


def named(tools: AgentTools, name: str) -> Any:
    return next(tool for tool in tools if tool.name == name)


def test_a_tool_is_called_with_keyword_arguments(tools: AgentTools) -> None:
    assert named(tools, "notes__add")(text="eggs") == "n3"
    assert "eggs" in tools.call("notes.search", '{"text": "eggs"}')


@pytest.mark.parametrize("arguments", [{}, {"words": "eggs"}, None, [1], "", "{", '{"text": 1, "text": 2}'])
def test_wrong_arguments_give_a_text(tools: AgentTools, arguments: Any) -> None:
    assert tools.call("notes__add", arguments).startswith("notes.add")
    assert tools.call("notes__lose", {}).startswith(
        "notes__lose is not a valid tool, try one of [notes__search, notes__add"
    )


def test_functions_have_the_signature_and_the_notes_of_the_tool(tools: AgentTools) -> None:
    search, add = tools.callables()[:2]

    assert str(inspect.signature(add)) == "(text: str, owner: str = 'sam') -> str"
    assert inspect.getdoc(search) == (
        "Find notes whose text contains a word.\n\nArgs:\n    text: the word; empty finds all."
    )
    assert add("eggs", owner="Kim") == "n3"
    assert add.__annotations__ == {"text": str, "owner": str, "return": str}


def test_openais_form_is_valid(tools: AgentTools) -> None:
    for tool in tools.openai():
        function = tool["function"]
        jsonschema.Draft202012Validator.check_schema(function["parameters"])
        assert function["name"].replace("_", "").isalnum()


def direct(tools: AgentTools) -> Any:
    return lambda given: tools[0](**given)


def called(tools: AgentTools) -> Any:
    return lambda given: tools.call(tools.openai()[0]["function"]["name"], json.dumps(given))


def function(tools: AgentTools) -> Any:
    return lambda given: tools.callables()[0](**given)


def of_dspy(tools: AgentTools) -> Any:
    return lambda given: tools.dspy()[0](**given)


def of_langchain(tools: AgentTools) -> Any:
    pytest.importorskip("langchain_core")
    return lambda given: tools.langchain()[0].invoke(given)


def of_langchain_in_a_loop(tools: AgentTools) -> Any:
    pytest.importorskip("langchain_core")
    return lambda given: asyncio.run(tools.langchain()[0].ainvoke(given))


def of_mcp(tools: AgentTools) -> Any:
    client = pytest.importorskip("mcp.client")

    async def ask(given: dict[str, Any]) -> str:
        async with client.Client(tools.mcp()) as server:
            return str((await server.call_tool(tools[0].name, given)).content[0].text)

    return lambda given: asyncio.run(ask(given))


@pytest.mark.parametrize(
    "form", [direct, called, function, of_dspy, of_langchain, of_langchain_in_a_loop, of_mcp]
)
def test_arguments_may_have_the_names_that_frameworks_use(form: Any, tmp_path: Path) -> None:
    env = Environment.from_tables({"rooms": [{"id": 1}]}, now="2026-01-05", folder=tmp_path, sandboxes=1)

    @env.tool
    def book(
        room: Context,
        config: str,
        callbacks: str,
        run_manager: str,
        args: str,
        kwargs: str,
        ctx: str,
        cls: str,
        func: str,
        name: str,
        input: str,
        run_id: str,
        schema: str,
        copy: str,
        runtime: str,
        tool_call_id: str,
    ) -> str:
        """Book a room."""
        return " ".join(value for name, value in locals().items() if name != "room")

    names = tuple(inspect.signature(book).parameters)[1:]

    assert form(AgentTools(env.episode()))({name: f"{name}!" for name in names}).split() == [
        f"{name}!" for name in names
    ]


def test_after_the_end_nothing_is_called(tools: AgentTools) -> None:
    add = named(tools, "notes__add")
    tools.end()

    assert add(text="eggs") == ENDED
    assert tools._episode.calls == []
    assert tools._episode.changeset == b""


def test_where_answers_have_fields_finish_is_a_tool_and_ends_the_task() -> None:
    fields = {"status": "answered or denied.", "answer": "the values."}
    open_one = episode()
    open_one.kind = replace(KIND, finish=FinishCall("End the task.", fields))
    tools = AgentTools(open_one)
    finish = tools[-1]

    assert (finish.name, finish.schema["required"]) == ("finish", ["status", "answer"])
    assert str(inspect.signature(finish.function())) == "(status: str, answer: str) -> str"
    assert "Call finish" in tools.ending
    assert "finish" not in {tool.name for tool in tools.dspy()}
    finish(status="denied", answer="")
    assert tools.answer == {"status": "denied", "answer": ""}
    assert named(tools, "notes__add")(text="eggs") == ENDED


def test_threads_of_an_agent_take_turns(tools: AgentTools) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda text: tools.call("notes.add", {"text": text}), map(str, range(40))))

    assert sorted(made) == sorted(f"n{number}" for number in range(3, 43))


def test_a_failure_of_the_harness_stays(tools: AgentTools, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: ToolContext, *_: Any) -> Any:
        raise RetrievalError("no index")

    monkeypatch.setattr(ToolContext, "rows", broken)
    for _ in range(2):
        with pytest.raises(RetrievalError):
            tools.call("notes.search", {})
    monkeypatch.undo()

    with pytest.raises(RetrievalError):
        tools.call("notes.add", {"text": "eggs"})
    assert isinstance(tools.failure, RetrievalError)


def test_an_argument_with_a_default_may_come_before_one_without(tmp_path: Path) -> None:
    env = Environment.from_tables({"rooms": [{"id": 1}]}, now="2026-01-05", folder=tmp_path, sandboxes=1)

    @env.tool
    def book(ctx: Context, *, days: int = 1, room: str) -> str:
        """Book a room."""
        return f"{room} for {days}"

    tool = AgentTools(env.episode())[0].function()

    assert str(inspect.signature(tool)) == "(room: str, days: int = 1) -> str"
    assert (tool("red"), tool("red", 2), tool(days=3, room="red")) == ("red for 1", "red for 2", "red for 3")
