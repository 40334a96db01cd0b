"""`worksmith export dspy`: examples and a metric as files."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import ExportSettings


@from_settings(ExportSettings, examples=("worksmith export dspy helpdesk --out helpdesk-dspy",))
def export_dspy(settings: ExportSettings, as_json: JsonFlag = False) -> None:
    """Write a suite's tasks as dspy.Example files, with their metric; no file has the truth of a task.

    Without --split there is a file for each of train, dev and test.
    """
    from worksmith.exports.dspy.export import export

    show(export(settings, progress=Terminal()), as_json)
