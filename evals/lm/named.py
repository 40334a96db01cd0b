"""Models by name, as the package above resolves them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.own_code import is_address
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task

SMOLLM2 = "local/smollm2"
"""A small language model, whose weights a package brings along."""

APPRENTICE = "local/apprentice"
"""`SMOLLM2` taught to learn from demonstrations."""

DEFAULT = APPRENTICE
"""The default model; it needs no network and no key."""

GGUF, REPLAY = "gguf:", "replay:"
"""The beginnings of names that a file follows."""

GROUP = "worksmith.models"
"""The entry point `resolve` of this group takes a name and `tasks=`, whose plans the model `gold` follows."""


def is_own(name: str) -> bool:
    """Whether a name is the address of user code, `package.module:lm`; files may not contain one."""
    return is_address(name.partition(" ")[0]) and not name.startswith((GGUF, REPLAY))


def model_named(name: str, *, tasks: Sequence[Task] = ()) -> Any:
    """The model called `name`, a `dspy.BaseLM`; `InputError` if there is none."""
    for entry in entry_points(group=GROUP, name="resolve"):
        return entry.load()(name, tasks=tasks)
    raise InputError(f"nothing resolves the model {name!r}", hint="give a dspy.LM, or install worksmith")
