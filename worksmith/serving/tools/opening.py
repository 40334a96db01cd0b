"""From settings to the episodes that clients get."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.asked import task_of
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.jobs.opening.named_judges import check_judged
from worksmith.jobs.opening.suites import LOGS, choose_tasks, usable_tasks
from worksmith.programs.own_agents.opened import OpenedTask
from worksmith.programs.own_agents.sessions import Sessions
from worksmith.programs.parts.tool_retrieval import default_toolset
from worksmith.serving.tools.episodes import FreeEpisode, Open, Tasks
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.progress.progress import Progress
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.tool_server import ToolServerSettings

NAME = "mcp"
"""The name of the clients' agents in records."""


@contextmanager
def episodes_of(suite: Suite, settings: ToolServerSettings, progress: Progress) -> Iterator[Open]:
    """The opener of episodes for connections, while the log is open.

    Args:
        progress: is called with the verdict on each episode.
    """
    suite.env.check()
    suite.env.check_records()
    if settings.task is None and not settings.all_tasks:
        yield _free(suite, settings)
        return
    tasks = _tasks(suite, settings, progress)
    check_judged(tasks, ())
    toolset = settings.toolset
    if settings.all_tasks:
        toolset = toolset or default_toolset(suite.env, "react", otherwise="all")
        if toolset == "required":
            hint = "the tools of a connection do not change; take all, or toolkits by name"
            raise InputError("each task requires other tools", where="--toolset", hint=hint)
    path = settings.log or LOGS / f"mcp-{digest([suite.digest, suite.env.digest, toolset or ''])}.jsonl"
    with EpisodeLog.open(path, resume=True) as log:
        sessions = Sessions(suite, name=NAME, toolset=toolset, with_finish=True, log=log)
        order = ((t.id, 0) for t in tasks) if settings.all_tasks else ((tasks[0].id, n) for n in count())

        def report(record: EpisodeRecord) -> None:
            progress.say(verdict(record))

        progress.say(f"Episodes are recorded in {path}; see them with: worksmith episodes {path}")
        yield Tasks(sessions, order, several=settings.all_tasks, report=report).open


def verdict(record: EpisodeRecord) -> str:
    shown = ShownEpisode(NAME, record)
    said = record.fault.detail if record.fault else record.error or ""
    attempt = f", attempt {record.trial + 1}" if record.trial else ""
    line = f"{record.task_id}{attempt}: {shown.verdict} after {record.steps} calls"
    return f"{line}: {said}" if said else line


def _free(suite: Suite, settings: ToolServerSettings) -> Open:
    if settings.persona is None:
        hint = "give --task ID, --all-tasks, or --as PERSONA for a session without a score"
        raise InputError("the tasks of clients are missing", hint=hint)
    given = task_of("free", suite.env, persona=suite.env.persona(settings.persona))

    def open() -> FreeEpisode:
        return FreeEpisode(OpenedTask(suite.env, given, toolset=settings.toolset))

    open().close()  # a wrong toolset is reported immediately
    return open


def _tasks(suite: Suite, settings: ToolServerSettings, progress: Progress) -> list[Task]:
    if settings.task is not None and settings.all_tasks:
        raise InputError("there is one task, or there are all", where="--all-tasks", hint="leave out --task")
    if settings.task is None:
        _, tasks = choose_tasks(suite, settings, progress)
    else:
        tasks = usable_tasks(suite, settings.task, [suite.task(settings.task)], progress)
    if settings.persona is None:
        return tasks
    wanted = suite.env.persona(settings.persona)
    own = [task for task in tasks if (task.persona or suite.world.manifest.persona).id == wanted.id]
    if not own:
        asks = tasks[0].persona or suite.world.manifest.persona
        fault = f"it is {asks.id} who asks in task {tasks[0].id}, not {wanted.id}"
        raise InputError(fault, where="--as", hint="the persona of a task cannot be changed; leave out --as")
    return own
