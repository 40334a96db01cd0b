"""The local models that can be served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evals.dspy_programs.own_code import is_address, own_object
from evals.tasks.transcript import GOLD
from tools.errors import InputError
from worksmith.models.resolve import REPLAY, resolve

if TYPE_CHECKING:
    from worksmith.models.serving.app import Engine


def served_engine(name: str) -> Engine:
    """The engine behind a local model's name, or at the address `package.module:engine` of one of the user's.

    Raises:
        InputError: there is none, or it runs elsewhere, or it reads more than the requests of clients.
    """
    if name == GOLD or name.startswith(REPLAY):
        hint = "it follows the tasks of a suite, which no request names"
        raise InputError(f"{name} cannot be served", where="NAME", hint=hint)
    found: Any = own_object(name, where="NAME") if is_address(name) else resolve(name)
    engine = getattr(found, "engine", found)
    if not callable(getattr(engine, "complete", None)):
        raise InputError(f"{name} is no local model", where="NAME", hint="ask its server directly")
    return engine  # type: ignore[no-any-return]
