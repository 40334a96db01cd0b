"""Run one task and keep every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console

from worksmith.evals.characters import harmless
from worksmith.evals.dspy_programs.asked import AD_HOC
from worksmith.evals.dspy_programs.digests import model_name, strategy_name
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.opening.named_judges import check_judged, open_judges
from worksmith.jobs.opening.suites import org_setting
from worksmith.jobs.recording.tracking import Tracking
from worksmith.jobs.showing.episode_text import episode_json, prompts_json, show_episode, show_verdict
from worksmith.jobs.showing.printing import Printable
from worksmith.jobs.tasks.asking import Asked, check_commits, in_words
from worksmith.programs.prompting.prompt import context_text, with_policies
from worksmith.tools.errors import InputError
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.programs import RunSettings
    from worksmith.programs.own_agents.program import AgentFunction
    from worksmith.tools.episode_result import EpisodeResult


@dataclass(frozen=True)
class TaskRun(Printable):
    """The episode of one task.

    Attributes:
        record: with scores and verdicts.
        setting: the agent's context, strategy and model.
        prompts: whether to show the messages that models were sent.
        scored: whether scorers know the task.
        committed: the result of the commit function; empty without a call of it.
    """

    task: Task
    episode: EpisodeResult
    record: EpisodeRecord
    setting: Mapping[str, str]
    prompts: bool = False
    scored: bool = True
    committed: tuple[Any, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether the episode was lost to the infrastructure."""
        return self.episode.status in INFRASTRUCTURE

    def to_json(self) -> dict[str, Any]:
        judging = [verdict.model_dump(mode="json") for verdict in self.record.judgements]
        return {
            **episode_json(self.task, self.episode, self._scores),
            **({"judgements": judging} if judging else {}),
            **({"prompts": prompts_json(self.episode)} if self.prompts else {}),
            **({"committed": self.committed[0]} if self.committed else {}),
        }

    def print(self, console: Console) -> None:
        setting, prompts = self.setting, self.prompts
        show_episode(console, self.task, self.episode, self._scores, setting=setting, prompts=prompts)
        for verdict in self.record.judgements:
            show_verdict(console, verdict)
        for returned in self.committed:
            console.out(harmless(f"committed: {returned}"), highlight=False)

    @property
    def _scores(self) -> dict[str, float] | None:
        return self.record.scores if self.scored else None


@dataclass(frozen=True)
class TaskPlan:
    """A task that has not begun: suite, program, model and judges are open."""

    asked: Asked
    task: Task
    judges: tuple[Judge, ...]
    settings: RunSettings
    progress: Progress = SILENT
    commits: bool = False

    @classmethod
    def open(
        cls,
        settings: RunSettings,
        *,
        person: AgentFunction | None = None,
        commits: bool = False,
        progress: Progress = SILENT,
    ) -> Self:
        """Open what settings name; other arguments and errors as in `Asked.open`.

        Args:
            commits: whether proposed changes are to be committed.

        Raises:
            InputError: the environment has no such function, or it is a task of the suite.
        """
        suite = Suite.open(settings.suite)
        task = _task(suite, settings)
        if commits:
            if task.id != AD_HOC:
                raise InputError("the changes of a suite's task are a test", where="--commit")
            check_commits(suite)
        judges = open_judges(settings.judge, settings.rubric, suite.env.kind.tables)
        check_judged([task], judges)
        asked = Asked.open(suite, settings, person=person, progress=progress)
        return cls(asked, task, judges, settings, progress, commits)

    def run(self, *, prompts: bool = False) -> TaskRun:
        """Run the task.

        Args:
            prompts: show also the messages that models were sent.

        Raises:
            WorksmithError: see `Turn.commit`.
        """
        settings, suite, task, scored = self.settings, self.asked.suite, self.task, self.task.id != AD_HOC
        tracking = Tracking.of(settings, track=settings.traces != "none")
        turn = self.asked.do(task)
        episode = turn.episode
        lm, program = self.asked.lm, self.asked.opened.program
        scorers = scorers_for(suite.env, settings.ground_truth) if scored else ()
        job = RolloutJob(program, EvalSettings(env=suite.env, lm=lm, scorers=scorers, judges=self.judges))
        record = job.record(job.unit(task, 0), task, episode)
        if settings.log is not None:
            with EpisodeLog.open(settings.log, resume=settings.log.exists()) as log:
                log.append(record)
        described = {**settings.described(), "suite": suite.path.name, **self.asked.opened.config}
        with tracking.start(suite.path, "run", task.id, params=described) as tracked:
            tracked.traces([record], split=task.split, model=model_name(lm), tasks=[task])
            if tracked.id:
                self.progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
        made: tuple[Any, ...] = ()
        if self.commits and turn.proposes:
            made = (turn.commit(),)
        setting = _setting(suite, task, program, settings.lm)
        return TaskRun(task, episode, record, setting, prompts, scored, made)


def _task(suite: Suite, settings: RunSettings) -> Task:
    """The task of an id, or one of a request in words.

    Raises:
        InputError: the task is unknown, or a text comes without a person or with options of tasks.
    """
    given = settings.task
    known = given in {task.id for task in suite.tasks}
    if known and settings.persona is not None:
        raise InputError("the task has a persona", where="--as", hint="leave it out")
    if known or (settings.persona is None and " " not in given):
        return suite.task(given)
    if settings.log is not None:
        raise InputError("nothing scores a request in words", where="--log", hint="leave it out")
    return in_words(suite, given, settings.persona)


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
