"""Asking a language model, for work on text."""

from __future__ import annotations

from tools.desk import Desk
from tools.enterprise.values import required
from tools.errors import ToolError
from tools.tool import tool
from tools.toolkit import Toolkit


@tool()
def call(desk: Desk, prompt: str) -> str:
    """Ask a language model, which sees nothing but the prompt: to summarise, classify or write text."""
    if desk.ask is None:
        raise ToolError("There is no language model to ask here.")
    return desk.ask(required("prompt", prompt))


TOOLKIT = Toolkit.of("llm", "a language model", (call,))
