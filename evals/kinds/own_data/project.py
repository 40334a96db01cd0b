"""Projects: a folder with an environment in Python, tasks, and the project file that names them."""

from __future__ import annotations

import contextlib
import sys
import traceback
from pathlib import Path
from types import ModuleType

from pydantic import BaseModel, ConfigDict

from worksmith.evals.kinds.own_data.metrics import module_of
from worksmith.evals.suite import Suite
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.json_files import validated
from worksmith.tools.files.project_file import read_project
from worksmith.tools.files.secrets import described
from worksmith.tools.seeding import digest


class _Section(BaseModel):
    """The section `environment` of a project file.

    Attributes:
        file: the Python file that makes the environment.
        name: the environment's name in that file.
        tasks: the file of tasks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = "environment.py"
    name: str = "env"
    tasks: str = "tasks.jsonl"


def open_project(folder: Path) -> Suite:
    """The suite of the project in a folder. Runs the project's own Python file, in that folder."""
    section = _section(folder)
    env = open_environment(folder / section.file, section.name)
    tasks = folder / section.tasks
    if not tasks.is_file():
        raise InputError(
            "there are no tasks",
            where=str(tasks),
            hint=f"write some, or: worksmith tasks generate {folder} --out {tasks}",
        )
    return Suite(env, tasks, path=folder.absolute())


def project_environment(folder: Path) -> Environment:
    """The environment of the project in a folder, which may have no tasks yet; see `open_project`."""
    section = _section(folder)
    return open_environment(folder / section.file, section.name)


def _section(folder: Path) -> _Section:
    place = folder / PROJECT_FILE
    return validated(
        read_project(place).environment,
        _Section,
        "the environment of a project",
        where=f"{place}: environment",
    )


def open_environment(file: Path, name: str) -> Environment:
    """The environment that a Python file makes.

    Args:
        name: of the variable.
    """
    if not file.is_file():
        raise InputError("no such Python file", where=str(file), hint=f"{PROJECT_FILE} names it")
    module = _run(file.resolve())
    found = getattr(module, name, None)
    if not isinstance(found, Environment):
        raise InputError(
            f"there is no environment {name!r}",
            where=str(file),
            hint=f"write {name} = ws.Environment.from_tables(...)",
        )
    return found


def _run(file: Path) -> ModuleType:
    """The file as a module, run in its folder; once in a process."""
    name = f"worksmith_project_{digest(str(file))}"
    if name in sys.modules:
        return sys.modules[name]
    # At the end, so that no file of the project hides a package.
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    try:
        with contextlib.chdir(file.parent):
            return module_of(file, name)
    except SystemExit as error:
        raise InputError("the project's file ends the program", where=_line(file, error)) from error
    except WorksmithError:
        raise
    except Exception as error:
        message = f"the project's file fails: {described(error)}"
        raise InputError(message, where=_line(file, error)) from error


def _line(file: Path, error: BaseException) -> str:
    """The last line of the file at which it failed."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f"{file}:{error.lineno}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)
    ]
    return f"{file}:{lines[-1]}" if lines else str(file)
