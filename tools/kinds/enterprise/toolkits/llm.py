"""Asking a language model, for work on text."""

from __future__ import annotations

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.values import required
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def call(ctx: ToolContext, prompt: str) -> str:
    """Ask a language model, which sees nothing but the prompt: to summarise, classify or write text."""
    if ctx.ask is None:
        raise ToolError("There is no language model to ask here.")
    return ctx.ask(required("prompt", prompt))


TOOLKIT = Toolkit.of("llm", "a language model", (call,))
