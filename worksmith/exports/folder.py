"""Folders of exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worksmith.jobs.showing.printing import Printed
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import directory_atomically

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import ExportSettings


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
) -> Printed:
    """Write the files of an export: a new folder in one step, an old one file by file. Other files stay.

    Args:
        files: the texts by name.
        tasks: the number of tasks.
        next_command: a command that uses them, if there is one.
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
    facts: dict[str, Any] = {"folder": str(out), "files": list(files), "tasks": tasks}
    lines = [f"{tasks} tasks: {', '.join(files)} in {out}"]
    if next_command:
        facts["next"] = next_command
        lines += ["Go on with:", f"    {next_command}"]
    return Printed(facts, tuple(lines))
