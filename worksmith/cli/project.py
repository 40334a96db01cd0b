"""The project file of the folder in which a command runs: its defaults, models and prices.

Only the folder's own file counts, not that of a folder above it or of a suite: a suite may come from a
stranger, and the file chooses models and addresses.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from worksmith.models.named import read_models, use_models
from worksmith.tools.errors import unknown
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.project_file import ProjectFile, read_project


def current_project() -> ProjectFile:
    """The project of the folder; an empty one without a file.

    Raises:
        InputError: the file is damaged.
    """
    file = Path(PROJECT_FILE)
    return read_project(file) if os.path.lexists(file) else ProjectFile()


def use_models_of(project: ProjectFile) -> None:
    """Let the names of models mean those of a project.

    Raises:
        InputError: a model's settings are wrong.
    """
    use_models(read_models(project.models, where=PROJECT_FILE))


def defaults_for(
    project: ProjectFile, command: str, settings: Collection[str], known: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    """The project's values for the settings of a command.

    Args:
        command: its words, such as `judge run`.
        settings: the names of its settings.
        known: all commands by their words, with the names of their settings.

    Raises:
        InputError: the file names an unknown command or setting.
    """
    general: dict[str, Any] = {"prices": PROJECT_FILE} if project.prices else {}
    own: dict[str, Any] = {}
    for name, value in project.defaults.items():
        place = f"{PROJECT_FILE}: defaults.{name}"
        if not isinstance(value, dict):
            if name not in settings:  # only then are all commands loaded
                _check(name, {each for names in known.values() for each in names}, "setting", place)
            general[name] = value
            continue
        _check(name, known, "command", place)
        for setting in value:
            _check(setting, known[name], f"setting of {name}", f"{place}.{setting}")
        if name == command:
            own = value
    return {name: value for name, value in general.items() if name in settings} | own


def _check(name: str, known: Collection[str], noun: str, place: str) -> None:
    if name not in known:
        raise unknown(f"no {noun}", name, sorted(known), place)
