"""Opening the tasks and live systems that settings name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.attacks.attacker import Attacker
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.rating.suite_sample import rated_tasks
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.task import Task
from worksmith.evals.tasks.task_filter import conditions
from worksmith.evals.tasks.transcript import GOLD
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.jobs.settings.groups.episodes import OrgSettings
    from worksmith.jobs.settings.groups.models import CacheSettings
    from worksmith.jobs.settings.groups.tasks import TaskSettings

LOGS = Path("mlruns") / "logs"
"""The folder of episode logs, unless a file is named."""


def choose_tasks(
    suite: Suite, settings: TaskSettings, progress: Progress = SILENT, *, judged: bool = False
) -> tuple[str, list[Task]]:
    """The split's name and its tasks.

    The default split is `test`, and `all` for a published task set, which is a test set as a whole.

    Args:
        judged: whether a judge is given; without one, tasks that only a judge can grade are left out.

    Raises:
        InputError, RetrievalError: the split has no tasks, or `Environment.check` fails.
    """
    suite.env.check()
    published = task_kind(suite.manifest.kind).importers
    name = settings.split or ("all" if suite.manifest.origin in published else "test")
    chosen = suite.select(
        split=name,
        scheme=settings.scheme,
        limit=settings.limit,
        where=conditions(settings.where),
        only=None if settings.rated is None else rated_tasks(suite, settings.rated),
    )
    return name, usable_tasks(suite, name, chosen, progress, judged=judged)


def usable_tasks(
    suite: Suite,
    split: str,
    chosen: Sequence[Task],
    progress: Progress = SILENT,
    *,
    judged: bool = False,
) -> list[Task]:
    """The tasks that can be graded; reports omissions and outdated expectations.

    Raises:
        InputError: no task is left.
    """
    tasks = [task for task in chosen if task.checkable or judged]
    if len(tasks) < len(chosen):
        left = len(chosen) - len(tasks)
        progress.say(
            f"leaving out {left} of {len(chosen)} tasks, of which only an answer in words is known; "
            "--judge scores them"
        )
    if suite.rules_changed:
        progress.say(
            "the access rules are not those that the tasks were made under: what they expect may be outdated"
        )
    if not tasks:
        raise InputError(f"the split {split} has no tasks", where=str(suite.path))
    return tasks


def under_attack(suite: Suite, tasks: Sequence[Task], seed: int, progress: Progress = SILENT) -> list[Task]:
    """The tasks with planted instructions; reports omissions.

    Raises:
        InputError: no task can be attacked.
    """
    attacked = Attacker(suite.env, suite.tasks, seed).attacked(tasks)
    if left := len(tasks) - len(attacked):
        progress.say(f"leaving out {left} of {len(tasks)} tasks without a gold plan that reads something")
    return attacked


def open_train_suite(path: Path, compared: Suite) -> Suite:
    """The suite to compile on, if it is not the compared suite.

    Raises:
        InputError: it is not a suite, or its world is of another kind.
    """
    from worksmith.evals.suite import Suite

    suite = Suite.open(path)
    if suite.manifest.kind != compared.manifest.kind:
        raise InputError(
            f"its world is of the kind {suite.manifest.kind}, that of {compared.path} "
            f"of the kind {compared.manifest.kind}",
            where=f"--train-suite {path}",
            hint="training with other tools is useless",
        )
    return suite


def teacher_name(named: str | None, model: str, trained: Sequence[Task], progress: Progress = SILENT) -> str:
    """The name of the model that teaches.

    Args:
        named: in the settings; None for the gold plans, or for `model` where no training task has one.
        model: the model that is taught.
        trained: the training tasks.
    """
    if named is not None:
        return named
    planned = sum(task.gold_plan is not None for task in trained)
    if planned < len(trained):
        taught = "the others teach nothing" if planned else f"so {model} teaches itself"
        progress.say(
            f"{planned} of {len(trained)} training tasks have a gold plan, {taught}; --teacher names a model"
        )
    return GOLD if planned else model


def leave_out_cache(settings: CacheSettings) -> None:
    """Switch DSPy's cache of replies off for this process, if the settings demand it."""
    if settings.no_cache:
        import dspy

        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)


def connect(suite: Suite, settings: OrgSettings, progress: Progress) -> None:
    """Let the tools of a suite work on a live system, if one is named.

    Raises:
        InputError: the world kind has no such system, or the variables that name its address are not set.
        InfrastructureError: it does not answer.
    """
    org, ids = settings.org, settings.org_ids
    if org is None:
        if ids is not None:
            raise InputError(
                "there are no other ids without another org", where="--org-ids", hint="give --org"
            )
        return
    systems = suite.env.kind.live_systems
    if org not in systems:
        known = ", ".join(systems)
        raise InputError(
            f"the tools of kind {suite.manifest.kind} work on no live system {org!r}",
            where="--org",
            hint=f"there is {known}" if known else "leave it out",
        )
    suite.env.connect(systems[org](ids))
    progress.say(f"Tools work on a live system: {suite.env.backend}")


def org_setting(suite: Suite) -> dict[str, str]:
    """The live system that the tools of a suite work on, as a setting of a run; empty without one."""
    backend = suite.env.backend
    return {} if backend is None else {"org": str(backend)}
