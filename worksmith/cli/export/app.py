"""The commands of `worksmith export`."""

from __future__ import annotations

from worksmith.cli.command import Commands
from worksmith.cli.export.dspy import export_dspy
from worksmith.cli.export.inspect import export_inspect
from worksmith.cli.export.mlflow import export_mlflow
from worksmith.cli.export.verifiers import export_verifiers

app = Commands(help="Hand a suite over to another framework.", no_args_is_help=True)

app.command("dspy")(export_dspy)
app.command("inspect")(export_inspect)
app.command("verifiers")(export_verifiers)
app.command("mlflow")(export_mlflow)
