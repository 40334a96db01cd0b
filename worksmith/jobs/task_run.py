"""Run one task and keep every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import dspy
from rich.console import Console

from worksmith.evals.dspy_programs.digests import model_name, strategy_name
from worksmith.evals.records.log import EpisodeLog
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.parts.episode_text import episode_json, prompts_json, show_episode, show_verdict
from worksmith.jobs.parts.judges import check_judged, open_judges
from worksmith.jobs.parts.opening import connect, leave_out_cache, org_setting
from worksmith.jobs.parts.printing import Printable
from worksmith.jobs.parts.programs import OpenedProgram, open_program, toolset_of
from worksmith.jobs.parts.progress import SILENT, Progress
from worksmith.jobs.parts.tracking import Tracking
from worksmith.models.resolve import OWN, resolve
from worksmith.programs.own_agents.program import AgentFunction, OwnAgent
from worksmith.programs.prompting.prompt import context_text, with_policies
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.programs import RunSettings
    from worksmith.tools.episode_result import EpisodeResult


@dataclass(frozen=True)
class TaskRun(Printable):
    """The episode of one task.

    Attributes:
        record: with scores and verdicts.
        setting: the context that the agent was told, its strategy and its model.
        prompts: whether to show the messages that models were sent.
    """

    task: Task
    episode: EpisodeResult
    record: EpisodeRecord
    setting: Mapping[str, str]
    prompts: bool = False

    @property
    def lost(self) -> bool:
        """Whether the episode was lost to the infrastructure."""
        return self.episode.status in INFRASTRUCTURE

    def to_json(self) -> dict[str, Any]:
        judging = [verdict.model_dump(mode="json") for verdict in self.record.judgements]
        return {
            **episode_json(self.task, self.episode, self.record.scores),
            **({"judgements": judging} if judging else {}),
            **({"prompts": prompts_json(self.episode)} if self.prompts else {}),
        }

    def print(self, console: Console) -> None:
        scores = self.record.scores
        show_episode(console, self.task, self.episode, scores, setting=self.setting, prompts=self.prompts)
        for verdict in self.record.judgements:
            show_verdict(console, verdict)


HUMAN = "human"
"""The name of the model for which a person does the task."""


def run_task(
    settings: RunSettings,
    *,
    prompts: bool = False,
    person: AgentFunction | None = None,
    progress: Progress = SILENT,
) -> TaskRun:
    """Run one task.

    Args:
        prompts: show also the messages that models were sent.
        person: does the task where the settings name `HUMAN` as model.
    """
    leave_out_cache(settings)
    tracking = Tracking.of(settings, track=settings.traces != "none")
    suite = Suite.open(settings.suite)
    task = suite.task(settings.task_id)
    judges = open_judges(settings.judge, settings.rubric, suite.env.kind.tables)
    check_judged([task], judges)
    connect(suite, settings, progress)
    if settings.lm == HUMAN and person is not None:
        toolset = toolset_of(suite, settings, "react")
        made = OwnAgent(person, suite.env, name=HUMAN, toolset=toolset, max_steps=settings.max_steps)
        opened, lm = OpenedProgram(made), resolve(OWN)
    else:
        opened, lm = open_program(suite, settings), resolve(settings.lm, tasks=suite.tasks)
    agent = opened.program
    with dspy.context(lm=lm):
        episode = cast("EpisodeResult", agent(task=task).episode)
    scorers = scorers_for(suite.env, settings.ground_truth)
    job = RolloutJob(agent, EvalSettings(env=suite.env, lm=lm, scorers=scorers, judges=judges))
    record = job.record(job.unit(task, 0), task, episode)
    if settings.log is not None:
        with EpisodeLog.open(settings.log, resume=settings.log.exists()) as log:
            log.append(record)
    described = {**settings.described(), "suite": suite.path.name, **opened.config}
    with tracking.start(suite.path, "run", task.id, params=described) as tracked:
        tracked.traces([record], split=task.split, model=model_name(lm), tasks=[task])
        if tracked.id:
            progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
    return TaskRun(task, episode, record, _setting(suite, task, agent, settings.lm), prompts)


def _setting(suite: Suite, task: Task, agent: Any, lm: str) -> dict[str, str]:
    manifest = suite.world.manifest
    persona = task.persona or manifest.persona
    clock = context_text(task.now or manifest.now, persona, suite.env.kind.departments)
    return {
        "context": with_policies(clock, task.context),
        "strategy": strategy_name(agent),
        "model": lm,
        **org_setting(suite),
    }
