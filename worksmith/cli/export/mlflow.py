"""`worksmith export mlflow`: an evaluation dataset in an MLflow store."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import ExportMlflowSettings


@from_settings(ExportMlflowSettings, examples=("worksmith export mlflow helpdesk --split dev",))
def export_mlflow(settings: ExportMlflowSettings, as_json: JsonFlag = False) -> None:
    """Keep the tasks of a split as an evaluation dataset in MLflow, for mlflow.genai.evaluate.

    It has what agents may see, and no truth. The same tasks are kept once.
    """
    from worksmith.exports.mlflow.export import export

    show(export(settings, progress=Terminal()), as_json)
