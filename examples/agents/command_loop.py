"""A command for command.py: a loop over OpenAI's chat API, without a line of worksmith's."""

import json
import os
import sys

import openai

client = openai.OpenAI()
task = json.loads(sys.stdin.readline())
messages = [{"role": "system", "content": task["instructions"]}, {"role": "user", "content": task["task"]}]
while True:
    reply = client.chat.completions.create(
        model=os.environ["AGENT_MODEL"], messages=messages, tools=task["tools"]
    )
    said, used = reply.choices[0].message, reply.usage
    messages.append(said.model_dump(exclude_none=True))
    usage = {"usage": [used.prompt_tokens, used.completion_tokens]}
    if not said.tool_calls:
        print(json.dumps({"answer": said.content} | usage), flush=True)
        break
    for call in said.tool_calls:
        asked = {"call": call.function.name, "arguments": call.function.arguments}
        print(json.dumps(asked | usage), flush=True)
        result = json.loads(sys.stdin.readline())["result"]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        usage = {}
