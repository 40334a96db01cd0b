"""Programs of the user's modules: `package.module:factory`, or `package.module:factory@FILE` compiled.

The user names the code; a file gives only the state.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.evals.dspy_programs.own_code import is_address, own_object
from worksmith.jobs.opening.restoring import restored
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import described

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment

_WHERE = "--program"


class OwnName(NamedTuple):
    """An address, and the file of the compiled state; None if it is not compiled."""

    address: str
    file: Path | None = None


def own_name(named: str) -> OwnName | None:
    """The parts of `package.module:factory[@FILE]`; None for the name of a file."""
    address, _, file = named.partition("@")
    if not is_address(address) or Path(named).exists():
        return None
    return OwnName(address, Path(file) if file else None)


def own_program(name: OwnName, env: Environment) -> tuple[Any, Artifact | None]:
    """The program that a user's module makes, with the state of the file, and the file's content.

    The address is of a factory that takes the environment, or nothing, or of a program itself.

    Raises:
        InputError: the factory is missing or fails, or its result takes no task.
    """
    found = own_object(name.address, where=_WHERE, project=env.folder)
    made = found if isinstance(found, dspy.Module) or _takes_task(found) else _made(found, name, env)
    if not (isinstance(made, dspy.Module) or callable(made)):
        raise InputError(
            f"{name.address} made a {type(made).__name__}, which takes no task",
            where=_WHERE,
            hint="make a dspy.Module, or a function of task",
        )
    if name.file is None:
        return made, None
    artifact = Artifact.read(name.file)
    return restored(module(made, name.address), artifact, where=str(name.file)), artifact


def module(program: Any, address: str) -> dspy.Module:
    """The program as a `dspy.Module`, for callers that need predictors.

    Raises:
        InputError: it is not a module.
    """
    if not isinstance(program, dspy.Module):
        hint = "only the predictors of a dspy.Module can be compiled"
        raise InputError(f"{address} is not a dspy.Module", where=_WHERE, hint=hint)
    return program


def _takes_task(found: Any) -> bool:
    return inspect.isfunction(found) and "task" in inspect.signature(found).parameters


def _made(factory: Any, name: OwnName, env: Environment) -> Any:
    if not callable(factory):
        raise InputError(f"{name.address} is not a factory of programs", where=_WHERE)
    try:
        return factory(env) if inspect.signature(factory).parameters else factory()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name.address} failed: {described(error)}", where=_WHERE) from error
