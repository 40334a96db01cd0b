"""An episode's tools in the forms of other frameworks."""

from __future__ import annotations

import inspect
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
    assert "not a valid tool" in tools.call("notes__lose", {})


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


def test_dspys_tools_act_in_the_episode(tools: AgentTools) -> None:
    add = next(tool for tool in tools.dspy() if tool.name == "notes__add")

    assert add(text="eggs") == "n3"


def test_langchains_tools_act_in_the_episode(tools: AgentTools) -> None:
    pytest.importorskip("langchain_core")
    add = next(tool for tool in tools.langchain() if tool.name == "notes__add")

    assert add.invoke({"text": "eggs"}) == "n3"
    assert set(add.args) == {"text", "owner"}


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
