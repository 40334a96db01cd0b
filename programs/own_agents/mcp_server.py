"""An episode's tools as a server of the official MCP SDK."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from worksmith.tools.files.secrets import described

if TYPE_CHECKING:
    from worksmith.tools.dispatch import Observation

PROMPT = "task"
"""The name of the prompt with the task."""

Context = ServerRequestContext[Any, Any]


class OfferedTool(Protocol):
    """A tool, such as `AgentTool`."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> dict[str, Any]: ...


class Offer(Protocol):
    """Tools that are on offer, such as `AgentTools`."""

    def __iter__(self) -> Iterator[OfferedTool]: ...

    def observe(self, name: str, arguments: Any) -> Observation:
        """Call a tool; mistakes of the agent give an observation."""


def tool_server(
    offer: Offer, *, instructions: str | None = None, prompt: Callable[[], str] | None = None
) -> Server[Any]:
    """A server for one connection. Calls are made one after another, in the order in which they arrive.

    Args:
        instructions: sent to the client when it connects.
        prompt: gives the text of the prompt `task`; without it the server has no prompts.
    """
    turn = anyio.Lock()

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=each.name, description=each.description, input_schema=each.schema)
                for each in offer
            ]
        )

    async def call_tool(_: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        async with turn:
            try:
                seen = await anyio.to_thread.run_sync(offer.observe, asked.name, asked.arguments or {})
            except Exception as error:
                raise MCPError(types.INTERNAL_ERROR, f"The episode is lost: {described(error)}") from error
        return types.CallToolResult(content=[types.TextContent(text=seen.text)], is_error=seen.status != "ok")

    async def list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description="The task to do.")])

    async def get_prompt(_: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        if asked.name != PROMPT or prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such prompt; there is {PROMPT!r}")
        said = types.PromptMessage(role="user", content=types.TextContent(text=prompt()))
        return types.GetPromptResult(messages=[said])

    return Server(
        "worksmith",
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts if prompt else None,
        on_get_prompt=get_prompt if prompt else None,
    )
