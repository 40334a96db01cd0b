"""Descriptions of tools that an agent's prompts show in place of the tools' own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from worksmith.tools.errors import InputError, names_instead
from worksmith.tools.files.json_files import validated
from worksmith.tools.tool import Tool, Toolset, ToolText

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment

_WHERE = "descriptions"


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    descriptions: dict[str, ToolText]


def read_descriptions(given: Mapping[str, Any] | None) -> dict[str, ToolText]:
    """Texts by the name of their tool.

    Raises:
        InputError: they are something else.
    """
    if given is None:
        return {}
    whole = {_WHERE: dict(given) if isinstance(given, Mapping) else given}
    return validated(whole, _Given, "descriptions of tools", where=_WHERE).descriptions


def check_descriptions(texts: Mapping[str, ToolText], env: Environment) -> None:
    """Check that an environment has the tools and arguments that texts describe, or raise `InputError`."""
    tools = env.kind.tools if texts else {}
    for name, text in texts.items():
        if name not in tools:
            raise InputError(
                f"there is no tool {name!r} to describe", where=_WHERE, hint=names_instead(name, tools)
            )
        tools[name].described(text)


def described(toolset: Toolset, texts: Mapping[str, ToolText]) -> Toolset:
    """The tools with other texts for who reads them; they do and take the same."""
    return {n: _described(tool, texts[n]) if n in texts else tool for n, tool in toolset.items()}


@lru_cache(maxsize=1024)
def _described(tool: Tool, text: ToolText) -> Tool:
    """The same object each time: it is a key of the cache of prompts."""
    return tool.described(text)
