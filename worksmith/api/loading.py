"""`ws.load`."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar, overload

import dspy

from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.dspy_programs.states import is_state
from worksmith.evals.dspy_programs.states import load_program as load_state
from worksmith.jobs.opening.programs import load_program
from worksmith.jobs.opening.restoring import restored
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_json

Program = TypeVar("Program", bound=dspy.Module)


@overload
def load(file: Path | str, into: Environment) -> Agent: ...
@overload
def load(file: Path | str, into: Program) -> Program: ...
def load(file: Path | str, into: Environment | dspy.Module) -> Agent | dspy.Module:
    """A compiled program from its file.

    Args:
        file: written by `worksmith compile`, or by `program.compilation.save(file)`; for a DSPy program also
            by its own `program.save(file)`.
        into: an environment, and the result is the `Agent` in it; or a DSPy program, and the result is a
            compiled copy of it. An agent gets strategy, toolset, form of prompts and descriptions of tools
            from the file as well; its environment and all else stay its own.

    Returns:
        The program, ready to run.

    Raises:
        InputError: the file is missing, damaged or edited, or was compiled for something else.

    Example:
        >>> better = ws.Bootstrap(accept="best").compile(
        ...     ws.Agent("react", env), trainset=suite.train, valset=suite.dev
        ... )
        >>> better.compilation.save("agent.json")
        >>> agent = ws.load("agent.json", env)
        >>> agent.digest == better.digest
        True
    """
    if not isinstance(into, dspy.Module | Environment):
        raise InputError(
            f"{type(into).__name__} takes no program",
            where="into",
            hint="give an environment, or a program of the same class",
        )
    if Path(file).is_dir() or Path(file).suffix == ".pkl":
        raise InputError(
            "what DSPy pickled can hold any code, and is not read",
            where=str(file),
            hint="save the program as .json; dspy.load opens a folder of your own",
        )
    if isinstance(into, dspy.Module) and is_state(read_json(Path(file), "a compiled program")):
        return load_state(copied_program(into), file)
    if isinstance(into, dspy.Module):
        return restored(into, Artifact.read(file), where=str(file))
    return load_program(file, into)
