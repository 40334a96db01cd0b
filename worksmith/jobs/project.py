"""New projects: a folder with an environment, tasks and settings that run at once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote
from shutil import copy, copytree, ignore_patterns
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.task_kind import TASK_KINDS, buildable_kinds, suite_builder
from worksmith.jobs.settings.suites import TaskDraftSettings
from worksmith.jobs.showing.printing import Printable
from worksmith.jobs.tasks.task_drafting import draft_tasks
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.directories import directory_atomically

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.suites import NewSettings

_TEMPLATES = files("worksmith") / "templates"

_DRAFTS = 200
"""With fewer drafts most intents of general tools would be in one split only; no compile could help."""


@dataclass(frozen=True)
class NewProject(Printable):
    """A project that was written.

    Attributes:
        folder: its place.
        files: its files, relative to the folder.
        commands: what to go on with.
    """

    folder: Path
    files: tuple[str, ...]
    commands: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"folder": str(self.folder), "files": list(self.files)}

    def print(self, console: Console) -> None:
        count = "1 file" if len(self.files) == 1 else f"{len(self.files)} files"
        console.out(f"{count} in {self.folder}. Go on with:", highlight=False)
        for line in self.commands:
            console.out(f"    {line}", highlight=False)


def new_project(settings: NewSettings, *, progress: Progress = SILENT) -> NewProject:
    """Write a small, commented project: a made-up helpdesk, or one over given data; or an industry.

    Raises:
        InputError: the folder exists, the data cannot be read, or the industry is unknown.
    """
    folder, source = settings.folder, settings.source
    if os.path.lexists(folder):
        raise InputError("the folder is already there", where=str(folder), hint="choose another name")
    if settings.industry is not None:
        if source is not None:
            raise InputError("an industry is not made of data", where="--industry", hint="leave out --from")
        return _new_industry(settings.industry, folder)
    if source is None and (settings.key or settings.null):
        raise InputError("there is no data to read", where="--key, --null", hint="name it with --from")
    with as_file(_TEMPLATES) as templates, directory_atomically(folder) as new:
        if source is None:
            copytree(templates / "helpdesk", new, dirs_exist_ok=True, ignore=ignore_patterns("__pycache__"))
        else:
            _write_own(settings, source, new, templates, progress)
    go_in = f"cd {quote(str(folder))}"
    return _written(folder, go_in, "worksmith tasks check", "worksmith eval", "worksmith compile")


def _written(folder: Path, *commands: str) -> NewProject:
    found = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return NewProject(folder, tuple(name for name in found if not name.startswith(".")), commands)


def _new_industry(name: str, folder: Path) -> NewProject:
    """Write a copy of an industry: its folder, or a folder with its file."""
    known = {
        industry: (kind, place)
        for kind in buildable_kinds()
        for industry, place in suite_builder(kind).industries().items()
    }
    if name not in known:
        raise unknown("no industry", name, sorted(known), "--industry")
    kind, place = known[name]
    with directory_atomically(folder) as new:
        if place.is_dir():
            copytree(place, new, dirs_exist_ok=True, ignore=ignore_patterns("__pycache__"))
        else:
            copy(place, new)
    own = quote(str(folder if place.is_dir() else folder / place.name))
    out = quote(f"{folder}-suite")
    return _written(folder, f"worksmith suite build {kind} --industry {own} --out {out} --dry-run")


def _key(given: str) -> tuple[str, list[str]]:
    """A table and its key, as `--key` names them."""
    table, _, columns = given.partition("=")
    names = [name.strip() for name in columns.split(",")]
    if not table.strip() or not all(names):
        raise InputError(f"no key {given!r}", where="--key", hint="write TABLE=COLUMN or TABLE=COLUMN,COLUMN")
    return table.strip(), names


def _write_own(
    settings: NewSettings, source: Path, folder: Path, templates: Path, progress: Progress
) -> None:
    """Write a project over the data in `source`."""
    write = TASK_KINDS.first(lambda kind: kind.write_environment, "makes projects of data")
    progress.say(f"reading {source}")
    write(source, folder, dict(map(_key, settings.key)), settings.null)
    copy(templates / "helpdesk" / PROJECT_FILE, folder)
    (folder / "tests").mkdir()
    copy(templates / "project_test.py", folder / "tests" / "test_environment.py")
    drafts = draft_tasks(TaskDraftSettings(suite=folder, out=folder / "tasks.jsonl", count=_DRAFTS))
    progress.say(f"drafted {len(drafts.lines)} tasks: delete those that nobody would ask, and add your own")
