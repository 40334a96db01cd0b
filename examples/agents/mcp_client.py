"""A client of the Model Context Protocol, with the extra `mcp`.

The loop asks OpenAI's chat API, and calls the tools through the official client.
"""

import json
import os

import openai
from mcp.client import Client

import worksmith as ws

client = openai.AsyncOpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY


class TooManyStepsError(Exception):
    """The model goes on and on."""

    episode_status = "step_limit"


async def agent(task: ws.AgentTask) -> str:
    """Connect to the task's tools, and call them until the model calls none."""
    messages = [{"role": "system", "content": task.instructions}, {"role": "user", "content": task.text}]
    async with Client(task.tools.mcp()) as server:
        tools = [
            {
                "type": "function",
                "function": {
                    "name": each.name,
                    "description": each.description,
                    "parameters": each.input_schema,
                },
            }
            for each in (await server.list_tools()).tools
        ]
        for _ in range(task.max_steps):
            reply = await client.chat.completions.create(
                model=os.environ["AGENT_MODEL"], messages=messages, tools=tools
            )
            task.usage.add(reply.usage.prompt_tokens, reply.usage.completion_tokens)
            said = reply.choices[0].message
            if not said.tool_calls:
                return said.content or ""
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls:
                result = await server.call_tool(call.function.name, json.loads(call.function.arguments))
                text = "\n".join(part.text for part in result.content)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
    raise TooManyStepsError(task.max_steps)
