"""From what a program is asked to a task, and from what it may see of a task to all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from evals.tasks.task import Task, VisibleTask
from evals.tasks.task_file import TASKS_FILE, read_tasks
from tools.errors import InputError

if TYPE_CHECKING:
    from tools.environment import Environment
    from tools.persona import Persona

AD_HOC = "ad-hoc"
"""The id of a task that somebody made of a text."""

_WHAT = (
    'a task of a suite (suite.tasks, suite.task("ID"), or suite.examples("train")[0].task), or a text, which '
    "becomes one that needs all toolkits"
)
_TASKS: WeakKeyDictionary[Environment, dict[str, Task]] = WeakKeyDictionary()


def asked(given: Any, env: Environment) -> VisibleTask:
    """The task that a program was given; of a text one on behalf of the world's own persona.

    Raises:
        InputError: it is neither a task nor a text, or nobody can tell on whose behalf the text is asked.
    """
    if isinstance(given, VisibleTask):
        return given
    if not isinstance(given, str):
        raise InputError(f"{type(given).__name__} is no task", where="task", hint=f"give {_WHAT}")
    if env.policy.digest:
        raise InputError(
            "a text does not say who asks, which decides what may be read and done in this world",
            where="task",
            hint="give a task of the suite, or evals.dspy_programs.asked.task_of(text, environment, "
            'persona=env.persona("ID"))',
        )
    return task_of(given, env)


def task_of(
    text: str,
    env: Environment,
    *,
    persona: Persona | None = None,
    domains: tuple[str, ...] = (),
    context: str = "",
) -> VisibleTask:
    """A task that nobody knows the right answer to.

    Args:
        persona: who asks; None for the world's own persona.
        domains: the toolkits that it needs; none stands for all there are.
        context: what an agent is told besides.

    Raises:
        InputError: there is no text.
    """
    if not text.strip():
        raise InputError("the task is empty", where="task", hint="say what is to be done")
    kind = env.kind
    every = tuple(kit.name for kit in kind.toolkits if kit.name not in kind.shared_toolkits)
    return VisibleTask(id=AD_HOC, query=text, context=context, domains=domains or every, persona=persona)


def given_to(program: Any, task: Task) -> VisibleTask:
    """The task as a program is given it: all of it only where the program says `sees_truth = True`.

    That is for programs which need it and show it to no model: baselines, and what wraps other programs. A
    program that hands its task to a predictor would else show how it is done.
    """
    return task if getattr(program, "sees_truth", False) else task.visible()


def whole_task(task: VisibleTask, env: Environment) -> Task | None:
    """The task with all that its suite knows of it; None if it is of no suite of the environment's world."""
    if isinstance(task, Task):
        return task
    tasks = _TASKS.get(env)
    if tasks is None:
        directory = env.world.path
        known = read_tasks(directory) if (directory / TASKS_FILE).exists() else ()
        tasks = _TASKS[env] = {each.id: each for each in known}
    found = tasks.get(task.id)
    return found if found is not None and found.visible() == task.visible() else None
