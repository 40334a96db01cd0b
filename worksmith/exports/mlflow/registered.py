"""Compiled programs from MLflow's registry."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.tracking.reaching import boundary
from worksmith.jobs.opening.programs import OpenedProgram, compiled_program
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment

REGISTERED = "models:/"
_PROGRAM = "program.json"
"""The compiled program's file in a model, see `worksmith.jobs.recording.served`."""


def registered_program(address: str, env: Environment) -> OpenedProgram:
    """The program of a logged or registered model, in the process's MLflow store.

    Args:
        address: `models:/NAME@ALIAS`, `models:/NAME/VERSION` or `models:/ID`.

    Raises:
        InputError: it is not a program of `worksmith compile`, or one for another kind of world.
        TrackingError: the store has no such model.
    """
    from mlflow.artifacts import download_artifacts

    with tempfile.TemporaryDirectory() as folder:
        with boundary():
            model = Path(download_artifacts(artifact_uri=address, dst_path=folder))
        file = next(model.glob(f"artifacts/*/{_PROGRAM}"), None)
        if file is None:
            raise InputError(
                "the model is not a program of worksmith",
                where=address,
                hint="register one with `worksmith compile ... --register NAME@ALIAS`",
            )
        return compiled_program(file, env)._replace(file=None)
