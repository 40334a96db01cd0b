"""Tools of an episode for programs built on `dspy.Tool`."""

from __future__ import annotations

from typing import Any

import dspy

from tools.episode import Episode
from tools.tool import Tool


def dspy_tool(tool: Tool, episode: Episode) -> dspy.Tool:
    """The tool bound to `episode`: a call is made in it and gives the text that an agent reads."""

    def call(**arguments: Any) -> str:
        return episode.call(tool.name, arguments).text

    return dspy.Tool(call, name=tool.name, desc=tool.summary, args=tool.parameters["properties"])
