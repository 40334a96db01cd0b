"""Models and programs as a caller gives them: objects, names or files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.jobs.opening.programs import OpenedProgram, named_program
from worksmith.models.resolve import open_models
from worksmith.optimizers.compiling.models import Model, default_model
from worksmith.programs.agent import Agent
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.tools.environment import Environment


class Chosen(NamedTuple):
    """The models that are asked, by label; `said` if nobody chose one."""

    name: str
    models: Mapping[str, dspy.LM]
    said: tuple[str, ...] = ()

    @property
    def only(self) -> Model:
        """The model.

        Raises:
            InputError: there are several.
        """
        if len(self.models) > 1:
            raise InputError(f"{len(self.models)} models, need one", where="lm", hint=", ".join(self.models))
        return Model(self.name, next(iter(self.models.values())))


def chosen_models(lm: str | dspy.BaseLM | None, suite: Suite) -> Chosen:
    """The model of that name or itself; DSPy's without one, else `local/apprentice`."""
    if isinstance(lm, str):
        return Chosen(lm, open_models(lm, suite.tasks))
    if lm is not None:
        return Chosen(model_name(lm), {model_name(lm): lm})
    model = default_model()
    return Chosen(model.name, {model.name: model.lm}, (f"The model is {model.name}, as none was given.",))


def opened(program: Any, env: Environment) -> OpenedProgram:
    """A program that is ready to run in an environment.

    Args:
        program: takes `task=`, or is a file or address as in `named_program`.

    Raises:
        InputError: it is not a program, or works in another environment.
    """
    if isinstance(program, str | Path):
        return named_program(str(program), env)
    if isinstance(program, type) or not callable(program):
        raise InputError(
            f"{program!r} is not a program", hint="give an agent, a DSPy program, a function, or a file"
        )
    made = getattr(program, "compilation", None)
    facts = made.artifact.manifest.tried if made is not None else None
    file = getattr(made, "file", None)
    if isinstance(program, OwnAgent):
        program = program.bound(env)
    if isinstance(program, Agent) and program.env is not env:
        if program.env is not None:
            raise InputError(
                "the agent works in another environment than the tasks", hint="make it with suite.env"
            )
        program = program.deepcopy()
        program.env = env
    return OpenedProgram(program, facts, file)
