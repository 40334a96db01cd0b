"""`worksmith.toml`: the settings of a project, beside its data."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_file, validated

_WHAT = "a project file"


class ProjectFile(BaseModel):
    """The sections of a project file. The user of a section checks its content.

    Attributes:
        environment: where the project's own environment and its tasks are.
        models: settings of models, by the name that `--lm` and the like take.
        prices: dollars per million tokens (`input`, `output`), by model.
        defaults: settings by name, for every command that has them; those of one command in a section of its
            name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: dict[str, Any] = {}
    models: dict[str, dict[str, Any]] = {}
    prices: dict[str, Any] = {}
    defaults: dict[str, Any] = {}


def read_project(file: Path) -> ProjectFile:
    """The project file at a path."""
    try:
        values = tomllib.loads(read_file(file, _WHAT).decode())
    except ValueError as error:
        raise InputError(f"not {_WHAT}: {error}", where=str(file)) from error
    return validated(values, ProjectFile, _WHAT, where=str(file))
