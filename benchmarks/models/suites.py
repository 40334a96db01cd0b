"""The suites on which models are measured."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.support.stages import At
from worksmith.evals.authoring.suite_building import build_suite, import_suite
from worksmith.evals.suite import Suite

_HERE = Path(__file__).parent
_EXAMPLES = _HERE.parents[1] / "examples"
_WORKBENCH = Path("../shared/data/workbench")
"""The published files, in a checkout that has them."""

_SEED = 32
"""Of the generated worlds."""

_PROJECT = '[environment]\nfile = "{file}"\nname = "env"\ntasks = "{tasks}"\n'


@dataclass(frozen=True)
class Measured:
    """A suite of the benchmark.

    Attributes:
        make: makes it in a folder.
        test: the most test tasks, spread evenly over the intents.
        demos: the most demonstrations of a prompt, for all arms: what a window of 8,192 tokens holds, and at
            most as many as `local/apprentice` met in its training.
        steps: calls of an episode, for the forecast.
        each: seconds for a call of `local/apprentice` on two cores, for the first forecast.
        own: whether it is a project over own data.
        needs: the folder with published files; None where it needs none.
    """

    title: str
    make: Callable[[Path], Any]
    test: int
    demos: int
    steps: int
    each: float
    own: bool = False
    needs: Path | None = None


def _helpdesk(folder: Path) -> None:
    from worksmith.jobs.project import new_project
    from worksmith.jobs.settings.suites import NewSettings

    new_project(NewSettings(folder=folder))


def _example(folder: Path) -> None:
    """The environment of the example; its last lines compile and compare."""
    shutil.copytree(_EXAMPLES / "helpdesk", folder / "helpdesk")
    environment, _, _ = (_EXAMPLES / "own_data.py").read_text().partition("\nsuite = ")
    (folder / "own_data.py").write_text(environment)
    project = _PROJECT.format(file="own_data.py", tasks="helpdesk/tasks.jsonl")
    (folder / "worksmith.toml").write_text(project)


def _chandlery(folder: Path) -> None:
    shutil.copytree(_HERE / "chandlery", folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))


def _office(folder: Path) -> None:
    import_suite("workbench", _WORKBENCH, folder)


def _enterprise(folder: Path) -> None:
    build_suite("enterprise", folder, scale=0.03, seed=_SEED)


def _crm(folder: Path) -> None:
    build_suite("crm", folder, scale=0.02, seed=_SEED)


_OWN: Any = {"demos": 7, "steps": 2, "each": 1.7, "own": True}

SUITES = {
    "helpdesk": Measured("The help desk of `worksmith new`", _helpdesk, test=13, **_OWN),
    "own_data": Measured("`examples/own_data.py`, a hotel's help desk", _example, test=16, **_OWN),
    "chandlery": Measured("A ship's chandlery, which nothing was tuned to", _chandlery, test=21, **_OWN),
    "office": Measured(
        "Office: WorkBench, a task of each kind",
        _office,
        test=69,
        demos=4,
        steps=3,
        each=1.5,
        needs=_WORKBENCH,
    ),
    "enterprise": Measured("Enterprise, generated", _enterprise, test=60, demos=2, steps=4, each=2.2),
    "crm": Measured("CRM, generated", _crm, test=45, demos=4, steps=3, each=2.5),
}


def made(at: At) -> dict[str, Any]:
    """Make a suite in the folder of its stage."""
    place = at.folder / "suite"
    shutil.rmtree(place, ignore_errors=True)
    SUITES[at.settings["suite"]].make(place)
    return {"digest": Suite.open(place).digest}
