"""`worksmith export verifiers`: an environment package."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import ExportSettings


@from_settings(ExportSettings, examples=("worksmith export verifiers helpdesk --out helpdesk-verifiers",))
def export_verifiers(settings: ExportSettings, as_json: JsonFlag = False) -> None:
    """Write a suite as an environment package of verifiers, for vf-eval and trainers.

    The package opens the suite in its folder; no file of it has the truth of a task.
    """
    from worksmith.exports.verifiers.export import export

    show(export(settings, progress=Terminal()), as_json)
