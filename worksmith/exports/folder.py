"""Folders of exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import directory_atomically

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.exports import ExportSettings


@dataclass(frozen=True)
class Exported(Printable):
    """An export that was written.

    Attributes:
        folder: its place.
        files: its files, relative to the folder.
        tasks: the number of tasks.
        next_command: a command that uses it, if there is one.
    """

    folder: Path
    files: tuple[str, ...]
    tasks: int
    next_command: str = ""

    def to_json(self) -> dict[str, Any]:
        found = {"folder": str(self.folder), "files": list(self.files), "tasks": self.tasks}
        return {**found, "next": self.next_command} if self.next_command else found

    def print(self, console: Console) -> None:
        console.out(f"{self.tasks} tasks: {', '.join(self.files)} in {self.folder}", highlight=False)
        if self.next_command:
            console.out(f"Go on with:\n    {self.next_command}", highlight=False)


def check_folder(settings: ExportSettings) -> None:
    """See that the folder of an export may be written, before any work."""
    if settings.out.resolve() == settings.suite.resolve():
        raise InputError(
            "the suite itself is there", where=str(settings.out), hint="give another folder with --out"
        )
    if settings.out.exists() and not settings.force:
        raise InputError(
            "there is something already",
            where=str(settings.out),
            hint="give --force to replace its files, or choose another name",
        )


def write_folder(
    settings: ExportSettings, files: Mapping[str, str], tasks: int, next_command: str = ""
) -> Exported:
    """Write the files of an export: a new folder in one step, an old one file by file. Other files stay.

    Args:
        files: the texts by name.
        tasks: the number of tasks.
    """
    check_folder(settings)
    out = settings.out
    if out.exists():
        for name, text in files.items():
            write_atomically(out / name, text.encode())
    else:
        with directory_atomically(out) as new:
            for name, text in files.items():
                (new / name).write_bytes(text.encode())
    return Exported(out, tuple(files), tasks, next_command)
