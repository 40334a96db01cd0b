"""New projects: a folder with an environment, tasks and settings that run at once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import TYPE_CHECKING, Any

from tools.errors import InputError
from tools.files.directories import directory_atomically
from worksmith.jobs.parts.printing import Printable

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.suites import NewSettings

_TEMPLATE = files("worksmith") / "templates" / "helpdesk"


@dataclass(frozen=True)
class NewProject(Printable):
    """A project that was written.

    Attributes:
        folder: its place.
        files: its files, relative to the folder.
    """

    folder: Path
    files: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"folder": str(self.folder), "files": list(self.files)}

    def print(self, console: Console) -> None:
        console.out(f"{len(self.files)} files in {self.folder}. Go on with:", highlight=False)
        for line in (f"cd {self.folder}", "worksmith tasks check", "worksmith eval", "worksmith compile"):
            console.out(f"    {line}", highlight=False)


def new_project(settings: NewSettings) -> NewProject:
    """Write a small, commented project.

    Raises:
        InputError: the folder is already there.
    """
    folder = settings.folder
    if os.path.lexists(folder):
        raise InputError("the folder is already there", where=str(folder), hint="choose another name")
    with as_file(_TEMPLATE) as template, directory_atomically(folder) as new:
        copytree(template, new, dirs_exist_ok=True, ignore=ignore_patterns("__pycache__"))
    found = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return NewProject(folder, tuple(found))
