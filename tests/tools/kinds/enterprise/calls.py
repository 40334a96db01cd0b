"""Calls by employees of the small company, and what came of them."""

from __future__ import annotations

from typing import Any

from tests.tools.kinds.enterprise.conftest import Open
from worksmith.tools.episode import Episode


def change(as_: Open, who: str, tool: str, **arguments: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The one change that a call makes: operation, cells before, cells after."""
    episode = as_(who)
    observation = episode.call(tool, arguments)
    assert observation.status == "ok", observation.text
    (made,) = episode.outcome().changes
    return made.operation, made.before, made.after


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    observation = episode.call(tool, arguments)
    assert observation.status == "ok", observation.text
    return observation.value
