"""LangGraph's prebuilt ReAct agent, with the extra `langgraph`."""

import os

from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

import worksmith as ws


def agent(task: ws.AgentTask) -> str:
    """The prebuilt graph over the tools of the task."""
    model = ChatOpenAI(model=os.environ["AGENT_MODEL"])  # reads OPENAI_BASE_URL and OPENAI_API_KEY
    graph = create_react_agent(model, task.tools.langchain(), prompt=task.instructions)
    limit = {"recursion_limit": 2 * task.max_steps + 1}
    answer = ""
    for step in graph.stream({"messages": [("user", task.text)]}, limit, stream_mode="updates"):
        for message in step.get("agent", {}).get("messages", ()):
            answer, used = str(message.content), message.usage_metadata
            task.usage.add(used["input_tokens"], used["output_tokens"])
    return answer
