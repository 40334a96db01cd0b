"""A loop over OpenAI's chat API, with the package that DSPy brings."""

import os

import openai

import worksmith as ws

client = openai.OpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY


class TooManyStepsError(Exception):
    """The model goes on and on."""

    episode_status = "step_limit"


def agent(task: ws.AgentTask) -> str:
    """Call tools until the model calls none."""
    messages = [{"role": "system", "content": task.instructions}, {"role": "user", "content": task.text}]
    for _ in range(task.max_steps):
        reply = client.chat.completions.create(
            model=os.environ["AGENT_MODEL"], messages=messages, tools=task.tools.openai()
        )
        task.usage.add(reply.usage.prompt_tokens, reply.usage.completion_tokens)
        said = reply.choices[0].message
        if not said.tool_calls:
            return said.content or ""
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            result = task.tools.call(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise TooManyStepsError(task.max_steps)
