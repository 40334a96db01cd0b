"""The local models that can be served."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.lm.named import REPLAY
from worksmith.evals.tasks.transcript import GOLD
from worksmith.models.resolve import LOCAL, resolve
from worksmith.models.transformer.manifest import MANIFEST
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.models.serving.app import ServedEngine


def served_engine(name: str) -> ServedEngine:
    """The engine behind a local model's name, in a folder of `worksmith train`, or at an address of a user's.

    Args:
        name: such as `local/apprentice`, a folder, or `package.module:engine`.

    Raises:
        InputError: it is unknown, runs elsewhere, or reads more than the requests of clients.
    """
    if name == GOLD or name.startswith(REPLAY):
        hint = "it follows the tasks of a suite, which no request names"
        raise InputError(f"{name} cannot be served", where="NAME", hint=hint)
    if (Path(name) / MANIFEST).is_file():
        name = f"{LOCAL}{name}"
    engine: Any = getattr(resolve(name), "engine", None)
    if not callable(getattr(engine, "complete", None)):
        raise InputError(f"{name} is not a local model", where="NAME", hint="ask its server directly")
    return engine  # type: ignore[no-any-return]
