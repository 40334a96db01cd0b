"""The commands of `worksmith export`."""

from __future__ import annotations

from worksmith.cli.command import Commands
from worksmith.cli.export.dpo import export_dpo
from worksmith.cli.export.dspy import export_dspy
from worksmith.cli.export.inspect import export_inspect
from worksmith.cli.export.mlflow import export_mlflow
from worksmith.cli.export.sft import export_sft
from worksmith.cli.export.verifiers import export_verifiers

app = Commands(
    help="Hand a suite over to another framework, or trajectories to a trainer.", no_args_is_help=True
)

app.command("dspy")(export_dspy)
app.command("inspect")(export_inspect)
app.command("verifiers")(export_verifiers)
app.command("mlflow")(export_mlflow)
app.command("sft")(export_sft)
app.command("dpo")(export_dpo)
