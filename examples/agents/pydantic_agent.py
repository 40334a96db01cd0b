"""pydantic-ai, with the extra `pydantic-ai`."""

import os

from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.usage import RunUsage, UsageLimits

import worksmith as ws

# Servers other than OpenAI's need not take strict tools.
profile = OpenAIModelProfile(openai_supports_strict_tool_definition=False)
model = OpenAIChatModel(os.environ["AGENT_MODEL"], profile=profile)  # reads OPENAI_BASE_URL, OPENAI_API_KEY


async def agent(task: ws.AgentTask) -> str:
    """pydantic-ai's own loop over the tools of the task."""
    tools = [
        Tool.from_schema(tool, tool.name, tool.description, tool.schema, sequential=True)
        for tool in task.tools
    ]
    worker: Agent[None, str] = Agent(model, instructions=task.instructions, tools=tools)
    usage, limits = RunUsage(), UsageLimits(request_limit=task.max_steps)
    try:
        result = await worker.run(task.text, usage=usage, usage_limits=limits)
    finally:
        task.usage.add(usage.input_tokens, usage.output_tokens, requests=usage.requests)
    return result.output
