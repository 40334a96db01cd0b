"""Tasks as programs are given them: from a text to a task, and from a visible task to the whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from worksmith.evals.tasks.task import Task, VisibleTask
from worksmith.evals.tasks.task_file import TASKS_FILE, read_tasks
from worksmith.tools.errors import InputError
from worksmith.tools.files.unicode import is_writable

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona

AD_HOC = "ad-hoc"
"""The id of a task made from a text."""

_WHAT = (
    'a task of a suite (suite.tasks, suite.task("ID"), or suite.train[0]), or a text, which becomes one that '
    "needs all toolkits"
)
_TASKS: WeakKeyDictionary[Environment, dict[str, Task]] = WeakKeyDictionary()


def asked(given: Any, env: Environment, persona: str | int | None = None) -> VisibleTask:
    """The task that a program was given, perhaps in an example.

    A text becomes one of a persona, or of the default persona.

    Raises:
        InputError: it is neither a task nor a text, the world has several personas, or a task, which says who
            asks, is given with another.
    """
    if isinstance(example := getattr(given, "task", None), VisibleTask):
        given = example
    if isinstance(given, VisibleTask):
        if persona is not None:
            raise InputError("the task has a persona", where="persona", hint="leave it out, or give a text")
        return given
    if not isinstance(given, str):
        raise InputError(f"{type(given).__name__} is not a task", where="task", hint=f"give {_WHAT}")
    if persona is None and env.policy.digest:
        raise InputError(
            "a text does not say who asks, which decides what may be read and done in this world",
            where="task",
            hint='name the person, as in agent(task="...", persona="ID") or with --as ID, or give a task',
        )
    return task_of(given, env, persona=None if persona is None else env.persona(persona))


def task_of(
    text: str,
    env: Environment,
    *,
    persona: Persona | None = None,
    domains: tuple[str, ...] = (),
    context: str = "",
) -> VisibleTask:
    """A task from a text, without gold plan or expectation.

    Args:
        persona: None for the world's own persona.
        domains: the toolkits that it needs; none for all toolkits.
        context: further text for the agent.

    Raises:
        InputError: there is no text, or no request can hold it.
    """
    if not text.strip():
        raise InputError("the task is empty", where="task", hint="describe the task")
    if not is_writable(text):
        raise InputError("the task has half of a character", where="task", hint="write it in UTF-8")
    kind = env.kind
    every = tuple(kit.name for kit in kind.toolkits if kit.name not in kind.shared_toolkits)
    return VisibleTask(id=AD_HOC, query=text, context=context, domains=domains or every, persona=persona)


def whole_task(task: VisibleTask, env: Environment) -> Task | None:
    """The whole task from the environment's suite; None if the suite does not have it."""
    if isinstance(task, Task):
        return task
    tasks = _TASKS.get(env)
    if tasks is None:
        directory = env.world.path
        known = read_tasks(directory) if (directory / TASKS_FILE).exists() else ()
        tasks = _TASKS[env] = {each.id: each for each in known}
    found = tasks.get(task.id)
    return found if found is not None and found.visible() == task.visible() else None
