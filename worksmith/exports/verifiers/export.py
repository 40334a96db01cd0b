"""Write a suite as a package that verifiers' runners find."""

from __future__ import annotations

import re
from importlib.util import find_spec
from shlex import quote
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.exports.choice import choice_of, chosen_tasks
from worksmith.exports.folder import check_folder, write_folder
from worksmith.jobs.showing.printing import Printed
from worksmith.tools.errors import missing_extra

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import ExportSettings

_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1.0"
description = "{tasks} tasks of a suite of worksmith"
requires-python = ">=3.11"
dependencies = ["worksmith[verifiers]"]

[tool.setuptools]
py-modules = ["{module}"]
"""

_MODULE = '''\
"""Tasks of a suite as an environment of verifiers; `worksmith export verifiers` wrote it."""

from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from worksmith.exports import verifiers
from worksmith_suite import (
    SuiteEnv,
    SuiteHarness,
    SuiteTask,
    SuiteTaskConfig,
    SuiteTaskset,
    SuiteTasksetConfig,
)

__all__ = ["SuiteEnv", "SuiteHarness", "Tasks", "load_environment"]

SUITE = {suite!r}
DIGEST = {digest!r}
CHOICE: dict[str, Any] = {choice!r}


class TaskConfig(SuiteTaskConfig):
    suite: Path | None = Path(SUITE)
    digest: str = DIGEST


class TasksConfig(SuiteTasksetConfig):
    task: TaskConfig = TaskConfig()
{fields}

class Tasks(SuiteTaskset, vf.Taskset[SuiteTask, TasksConfig]):
    """The tasks that were chosen."""


def load_environment(**settings: Any) -> SuiteEnv:
    """The environment for a trainer, see `worksmith.exports.verifiers.load_environment`."""
    return verifiers.load_environment(SUITE, digest=DIGEST, **{{**CHOICE, **settings}})
'''

_RUN = """\
# vf-eval @ eval.toml --model MODEL --client.base-url URL --client.api-key-var NAME
push = false  # no trace leaves this machine

[env.taskset]
id = "{name}"
"""

_TYPES = {"split": "str | None", "limit": "int | None", "where": "tuple[str, ...]", "scheme": "str"}


def export(settings: ExportSettings, *, progress: Progress = SILENT) -> Printed:
    """Write the package: its module, its project file, and settings of a run."""
    if find_spec("verifiers") is None:
        raise missing_extra("environments of verifiers", "verifiers")
    check_folder(settings)
    choice = choice_of(settings)
    suite, split, tasks = chosen_tasks(settings.suite, progress=progress, **choice)
    chosen = {**choice, "split": split, "where": tuple(settings.where)}
    name = f"worksmith-{_slug(settings.out.resolve().name)}-tasks"
    module = name.replace("-", "_")
    fields = "".join(f"    {field}: {_TYPES[field]} = {value!r}\n" for field, value in chosen.items())
    place, run = quote(str(settings.out)), quote(str(settings.out / "eval.toml"))
    files = {
        "pyproject.toml": _PROJECT.format(name=name, module=module, tasks=len(tasks)),
        f"{module}.py": _MODULE.format(
            suite=str(suite.path.resolve()), digest=suite.digest, choice=chosen, fields=fields
        ),
        "eval.toml": _RUN.format(name=name),
    }
    return write_folder(
        settings,
        files,
        len(tasks),
        f"pip install -e {place}\n    vf-eval @ {run} --model MODEL --client.base-url URL",
    )


def _slug(name: str) -> str:
    """Part of a package's name, of the name of a folder."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:40].strip("-") or "of-a-suite"
