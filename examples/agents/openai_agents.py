"""The OpenAI Agents SDK, with the extra `openai-agents`."""

import os
from typing import Any

from agents import Agent, FunctionTool, ModelResponse, OpenAIChatCompletionsModel, RunConfig, RunHooks, Runner
from openai import AsyncOpenAI

import worksmith as ws

model = OpenAIChatCompletionsModel(
    os.environ["AGENT_MODEL"],
    AsyncOpenAI(),  # reads OPENAI_BASE_URL and OPENAI_API_KEY
)


def sdk_tool(task: ws.AgentTask, tool: Any) -> FunctionTool:
    """A tool of the task as the SDK's."""

    async def call(_: Any, arguments: str) -> str:
        return task.tools.call(tool.name, arguments)

    return FunctionTool(tool.name, tool.description, tool.schema, call, strict_json_schema=False)


class Reporting(RunHooks[Any]):
    """Reports each request of a run to a model."""

    def __init__(self, task: ws.AgentTask) -> None:
        self.task = task

    async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:
        used = response.usage
        self.task.usage.add(used.input_tokens, used.output_tokens, requests=used.requests)


async def agent(task: ws.AgentTask) -> str:
    """The SDK's own loop over the tools of the task."""
    tools: list[Any] = [sdk_tool(task, tool) for tool in task.tools]
    worker = Agent(name="worker", instructions=task.instructions, tools=tools, model=model)
    config = RunConfig(tracing_disabled=True)
    result = await Runner.run(
        worker, task.text, max_turns=task.max_steps, run_config=config, hooks=Reporting(task)
    )
    return str(result.final_output)
