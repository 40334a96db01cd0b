"""A tool of an episode as LangChain's agents take it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool


class LangChainTool(BaseTool):  # type: ignore[misc]
    """Passes on every argument. A `StructuredTool` drops those with names of its own arguments."""

    called: Callable[..., str]

    def _run(self, /, **given: Any) -> str:
        return self.called(**given)

    async def _arun(self, /, **given: Any) -> str:
        return await asyncio.to_thread(self.called, **given)
