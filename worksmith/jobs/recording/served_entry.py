"""Run by MLflow to make the model of a compiled program; see `worksmith.jobs.recording.served`."""

from __future__ import annotations

from mlflow.models import set_model

from worksmith.jobs.recording.served import ServedAgent

set_model(ServedAgent())
