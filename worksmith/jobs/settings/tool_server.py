"""Settings of the server of an episode's tools."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.programs import TOOLSETS
from worksmith.jobs.settings.groups.tasks import SuiteSettings, TaskSettings


class ToolServerSettings(SuiteSettings, TaskSettings):
    """Offer the tools of episodes to MCP clients."""

    group = "Episodes"

    task: str | None = setting(None, "Id of the task; each connection gets an episode of it.", metavar="ID")
    all_tasks: bool = setting(False, "Hand out the tasks of the split, one after another.")
    persona: str | None = setting(
        None,
        "Persona: an id, or a role. Without --task and --all-tasks a session without task and score.",
        flag="--as",
    )
    toolset: str | None = setting(
        None,
        "Tools on offer: all, the task's (required), or toolkits by name (query, functions+query).",
        suggest=tuple(name for name in TOOLSETS if not name.startswith("retrieved")),
        unset="the world's default, else the task's; all for several tasks",
        expert=True,
    )
    log: Path | None = setting(
        None,
        "Episode log (JSON lines). Episodes that it has are not handed out again.",
        path="file",
        unset="one in mlruns/logs",
    )
