"""A user's own metrics: functions of a task and an episode that give a score, maybe with feedback."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr

from worksmith.evals.lm.failures import calling
from worksmith.evals.scoring.metric import Score, metric_inputs
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult

Function = Callable[[Any, Any], Any]
"""Takes an example and a prediction, as metrics of DSPy's do; gives a bool, a float from 0 to 1, or a
`dspy.Prediction` with a `score` and maybe `feedback`."""

_NAME = re.compile(r"([A-Za-z_]\w*):([A-Za-z_]\w*)", re.ASCII)
_HINT = "write MODULE:FUNCTION, of a Python file beside the tasks"


class OwnMetric(BaseModel):
    """A metric of the user's, identified by its name and its code.

    Attributes:
        name: the function's, with its module.
        code: its content address.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    code: str
    _function: Function = PrivateAttr()

    @classmethod
    def of(cls, function: Function, name: str = "") -> Self:
        """The metric that a function is."""
        name = name or f"{function.__module__}:{getattr(function, '__qualname__', type(function).__name__)}"
        try:
            inspect.signature(function).bind(None, None)
        except TypeError as error:
            hint = "a metric takes an example and a prediction, and further arguments only with defaults"
            raise InputError(f"the metric {name} cannot be called: {error}", hint=hint) from error
        from worksmith.evals.dspy_programs.digests import callable_digest

        metric = cls(name=name, code=callable_digest(function))
        metric._function = function
        return metric

    def __call__(self, task: Task, episode: EpisodeResult) -> Score:
        """The score of an episode.

        Raises:
            InputError: the function gives no score.
            UserCodeError: it raised an exception.
        """
        with calling(f"the metric {self.name}"):
            found = self._function(*metric_inputs(task, episode))
        return Score.of(found, f"the metric {self.name}", task)


def named_metric(name: str, folder: Path, *, home: Path | None, where: str) -> OwnMetric:
    """The metric `module:function`, of the file `module.py` in a folder and of no other module.

    Args:
        folder: of the tasks. Code of a stranger may lie beside them, so it must be the user's own: `home`,
            the working directory, or the folder of the script that runs.
        home: the environment's folder; None if a stranger may have written in it.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise InputError(f"no metric {name!r}", where=where, hint=_HINT)
    module, function = found.groups()
    file = folder / f"{module}.py"
    if not file.is_file():
        raise InputError(f"no metric {name!r}: there is no file {file}", where=where, hint=_HINT)
    if folder.resolve() not in _users_own(home):
        raise InputError(
            f"no code is run for the metric {name!r}: {file} is in another folder than the environment",
            where=where,
            hint=f"if you trust it, work in {folder}, or give the tasks as dicts with the function itself",
        )
    metric = getattr(_imported(file, where), function, None)
    if not callable(metric):
        raise InputError(f"no metric {name!r}: {file} has no function {function}", where=where, hint=_HINT)
    return OwnMetric.of(metric, name)


def _users_own(home: Path | None) -> set[Path]:
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    known = (home, Path.cwd(), Path(script).parent if script else None)
    return {folder.resolve() for folder in known if folder is not None}


def _imported(file: Path, where: str) -> Any:
    """The module in a file, imported once in a process; modules beside it can be imported."""
    # Without the folder, so that the digest of the code is the same in any folder.
    name = f"worksmith_metrics_{file.stem}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(file.resolve()):
        return known
    try:
        with _importing_from(file.parent):
            return module_of(file.resolve(), name)
    except Exception as error:
        raise InputError(
            f"the metrics cannot be imported ({type(error).__name__}: {error})", where=f"{where}: {file}"
        ) from error


def module_of(file: Path, name: str) -> ModuleType:
    """The file as a module of this name, which is run now; one that fails is forgotten."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
