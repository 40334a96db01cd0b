"""The tools of an episode as tools of inspect_ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import anyio.to_thread
from inspect_ai.tool import Tool, ToolDef, ToolParams, ToolSource
from inspect_ai.tool._tool_canonical import set_tool_canonical_arguments
from inspect_ai.util import store

from tools.errors import InputError

if TYPE_CHECKING:
    from programs.own_agents.sessions import Session
    from programs.own_agents.tools import AgentTool

_KEY = "worksmith_session"
_SESSIONS: WeakValueDictionary[str, Session] = WeakValueDictionary()


class EpisodeTools(ToolSource):
    """The tools of the running sample's episode, for agents that are made before any sample.

    Example:
        >>> from inspect_ai.agent import react
        >>> task = inspect_task("helpdesk", solver=react(tools=[EpisodeTools()]))
    """

    async def tools(self) -> list[Tool]:
        """The tools of the sample.

        Raises:
            InputError: no sample of a suite is running.
        """
        return tools_of(running_session())


def running_session() -> Session:
    """The session of the running sample.

    Raises:
        InputError: there is none.
    """
    session = _SESSIONS.get(store().get(_KEY, ""))
    if session is None:
        raise InputError("no sample of a suite is running here", hint="make the task with inspect_task")
    return session


def set_running(key: str, session: Session) -> None:
    """Let `running_session` find a session in the running sample."""
    _SESSIONS[key] = session
    store().set(_KEY, key)


def tools_of(session: Session) -> list[Tool]:
    """The tools of a session."""
    return [_tool(tool) for tool in session.task.tools]


def _tool(tool: AgentTool) -> Tool:
    async def execute(**kwargs: Any) -> str:
        return await anyio.to_thread.run_sync(lambda: tool(**kwargs))

    # inspect_ai checks arguments by the schema before any call; the tools here take some that the schema does
    # not, such as a number as text.
    set_tool_canonical_arguments(execute, tool.plain)
    parameters = ToolParams.model_validate(_described(tool.schema))
    # 0: the whole result. Cut results would make other episodes than ours.
    return ToolDef(execute, tool.name, tool.description or tool.name, parameters, max_output=0).as_tool()


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema in which each argument has a description, without which inspect_ai refuses a tool."""
    arguments = schema.get("properties", {}).items()
    return {**schema, "properties": {name: {"description": name, **each} for name, each in arguments}}
