"""A compiled program as an MLflow model: a task's text in, the answer, the calls and the changes out.

The model carries the program's file and the suite whose world it works in, so it loads anywhere. Every
prediction is an episode of its own: the agent's changes are reported, then rolled back.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy
import numpy
import pandas
from mlflow.pyfunc import PythonModel

from worksmith.evals.dspy_programs.asked import task_of
from worksmith.evals.suite import MANIFEST_FILE, Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError
from worksmith.tools.numbers import scalar

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import VisibleTask
    from worksmith.programs.agent import Agent
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode_result import EpisodeResult
    from worksmith.tools.persona import Persona

CODE = Path(__file__).with_name("served_entry.py")
"""The file that MLflow runs to make the model."""

PROGRAM_FILE = "program.json"
SUITE_FOLDER = "suite"

_WORLDS = Path(".worksmith/worlds")


def bundle(program: Path, suite: Suite, folder: Path) -> Path:
    """Put all that a served program needs into `folder`; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(program, folder / PROGRAM_FILE)

    def not_needed(place: str, names: list[str]) -> list[str]:
        # Only the project's own Python file knows its inputs, so everything else is copied.
        if Path(place).parts[-2:] == _WORLDS.parts:
            return [name for name in names if name != suite.world.path.name]
        return [name for name in names if _is_not_needed(Path(place, name))]

    is_project = not (suite.path / MANIFEST_FILE).is_file()
    ignored = not_needed if is_project else None
    shutil.copytree(suite.path, folder / SUITE_FOLDER, ignore=ignored, dirs_exist_ok=True)
    return folder


def _is_not_needed(path: Path) -> bool:
    """Whether no environment needs a file or folder of a project: results, tests, hidden files, packages."""
    hidden = path.name.startswith(".") and path.name != _WORLDS.parts[0]
    return (
        hidden
        or path.name in ("__pycache__", "mlruns", "tests")
        or path.suffix == ".journal"
        or (path / "pyvenv.cfg").is_file()
    )


class ServedAgent(PythonModel):  # type: ignore[misc]
    """Answers rows with a `task` (its text) and, if given, its `domains` (names of toolkits) and `context`.

    The model it asks is `lm` of MLflow's `model_config`, never what the program's file names: others may have
    written that.

    In a world of many people a row must name on whose behalf: the id of its `persona`. The sender of the row
        vouches for it, as a session does; no model ever sets it.
    """

    def load_context(self, context: Any) -> None:
        """Load program, world and model."""
        folder = Path(context.artifacts["program"])
        suite = Suite.open(folder / SUITE_FOLDER)
        self._agent: Agent = load_program(folder / PROGRAM_FILE, suite.env)
        name = (context.model_config or {}).get("lm")
        if not isinstance(name, str):
            raise InputError("no model is named", hint='load it with model_config={"lm": NAME}')
        self._lm: dspy.LM = resolve(name, tasks=suite.tasks)

    # Of this type MLflow makes no schema to enforce; without any it prints advice at every import.
    def predict(
        self, context: Any, model_input: pandas.DataFrame, params: Any = None
    ) -> list[dict[str, Any]]:
        """One result a row."""
        with dspy.context(lm=self._lm):
            return [_result(self._agent(task=_task(row, self._agent)).episode) for row in _rows(model_input)]


def _rows(given: Any) -> list[Mapping[str, Any]]:
    """The rows from MLflow's input: one row, a list of them, columns, or a data frame.

    MLflow makes arrays of the values that it gets as `inputs` or `instances`.
    """
    if isinstance(given, Mapping):
        columns = given and all(isinstance(each, numpy.ndarray) and each.ndim for each in given.values())
        return _rows(pandas.DataFrame(dict(given))) if columns else [given]
    rows = list(given.to_dict("records")) if hasattr(given, "to_dict") else list(given)
    return [{name: scalar(value) for name, value in row.items()} for row in rows]


def _task(row: Mapping[str, Any], agent: Agent) -> VisibleTask:
    text = row.get("task")
    if not isinstance(text, str) or not text.strip():
        raise InputError("a row has no task", hint='give {"task": "the request"}')
    assert agent.env is not None
    who = _persona(row, agent.env)
    context = row.get("context")
    return task_of(
        text,
        agent.env,
        persona=who,
        domains=_domains(row.get("domains")),
        context=context if isinstance(context, str) else "",
    )


def _domains(given: Any) -> tuple[str, ...]:
    """Names of toolkits. A row without them has NaN here if another row of its data frame has some."""
    return tuple(map(str, given)) if isinstance(given, list | tuple | numpy.ndarray) else ()


def _persona(row: Mapping[str, Any], env: Environment) -> Persona | None:
    """The person who asks; None without access rules. There is no default person."""
    named = row.get("persona")
    if isinstance(named, str | Integral) and str(named).strip():
        return env.persona(str(named).strip())
    if env.policy.digest:
        raise InputError("a row has no persona", hint='give {"task": ..., "persona": the id of who asks}')
    return None


def _result(episode: EpisodeResult) -> dict[str, Any]:
    return {
        "answer": episode.answer,
        "status": episode.status,
        "error": episode.error,
        "calls": [call.to_json() for call in episode.calls],
        "changes": episode.outcome.to_json(),
    }
