"""The tools of an episode as tools of inspect_ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread
from inspect_ai.tool import Tool, ToolDef, ToolParams, ToolSource
from inspect_ai.tool._tool_canonical import set_tool_canonical_arguments
from inspect_ai.util import store

from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.programs.own_agents.sessions import Session
    from worksmith.programs.own_agents.tools import AgentTool

_KEY = "worksmith_session"


class OpenSample:
    """A sample whose episode is open.

    Attributes:
        tools: of the episode.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.tools = [_tool(tool) for tool in session.task.tools]


OPEN: dict[str, OpenSample] = {}
"""The samples whose episodes are open, by their id."""


class EpisodeTools(ToolSource):
    """See `worksmith.exports.inspect.episode_tools`."""

    async def tools(self) -> list[Tool]:
        """The tools of the sample.

        Raises:
            InputError: no sample of a suite is running.
        """
        return _running().tools


def running_session() -> Session:
    """The session of the running sample."""
    return _running().session


def open_running(key: str, session: Session) -> OpenSample:
    """Let the running sample find its episode, until it is closed."""
    OPEN[key] = opened = OpenSample(session)
    store().set(_KEY, key)
    return opened


def _running() -> OpenSample:
    opened = OPEN.get(store().get(_KEY, ""))
    if opened is None:
        raise InputError("no sample of a suite is running here", hint="make the task with inspect_task")
    return opened


def _tool(tool: AgentTool) -> Tool:
    async def execute(**kwargs: Any) -> str:
        return await anyio.to_thread.run_sync(lambda: tool(**kwargs))

    # inspect_ai checks arguments by the schema before any call; the tools here take some that the schema does
    # not, such as a number as text.
    set_tool_canonical_arguments(execute, tool.plain)
    parameters = ToolParams.model_validate(_described(tool.schema))
    # 0: the whole result. Cut results would make other episodes than worksmith's.
    return ToolDef(execute, tool.name, tool.description or tool.name, parameters, max_output=0).as_tool()


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema in which each argument has a description, without which inspect_ai refuses a tool."""
    arguments = schema.get("properties", {}).items()
    return {**schema, "properties": {name: {"description": name, **each} for name, each in arguments}}
