"""`ws.lm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from worksmith.models.resolve import resolve

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task


def lm(name: str, *, tasks: Suite | Sequence[Task] = ()) -> dspy.LM:
    """A model by name, for `dspy.configure` and other functions of DSPy.

    Args:
        name: as `--lm` takes it: `local/apprentice`, `gold`, `openai/gpt-4o-mini temperature=0.2`, a model of
            the project file, or your `package.module:lm`.
        tasks: whose plans the model `gold` follows: a suite, or some of its `tasks`.

    Returns:
        The model.

    Raises:
        InputError: the name or a setting is wrong.

    Example:
        >>> import dspy
        >>> with dspy.context(lm=ws.lm("gold", tasks=suite)):
        ...     print(ws.Agent("react", env)(task=suite.tasks[0]).answer)
        Done.
    """
    from worksmith.evals.suite import Suite

    return resolve(name, tasks=tasks.tasks if isinstance(tasks, Suite) else tasks)
