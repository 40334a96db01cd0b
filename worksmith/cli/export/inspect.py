"""`worksmith export inspect`: a task of inspect_ai as a file."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import ExportSettings


@from_settings(ExportSettings, examples=("worksmith export inspect helpdesk --out helpdesk-inspect",))
def export_inspect(settings: ExportSettings, as_json: JsonFlag = False) -> None:
    """Write a task.py that `inspect eval` runs: tasks, tools, episodes and scores are those of the suite."""
    from worksmith.exports.inspect.export import export

    show(export(settings, progress=Terminal()), as_json)
