"""Measuring programs: the same tasks, scorers and judges for all programs of a job, each run with a card."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.dspy_programs.digests import (
    plain_settings,
    program_digest,
    scorers_digest,
    strategy_name,
)
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.run_card import RunCard, make_room, versions, write_card
from worksmith.evals.records.shard import Shard
from worksmith.evals.reporting.report import evaluation_report
from worksmith.evals.reporting.suite_facts import policy_note
from worksmith.evals.running.result import EvalResult, failed_scorers
from worksmith.evals.running.runner import evaluate as run_episodes
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.evals.tracking import Dataset
from worksmith.jobs.opening.budgets import admission, counted, open_budget
from worksmith.jobs.opening.engines import open_engine
from worksmith.jobs.opening.named_judges import check_judged, counted_judges, open_judges
from worksmith.jobs.opening.suites import (
    choose_tasks,
    connect,
    leave_out_cache,
    org_setting,
    under_attack,
)
from worksmith.jobs.recording.tracking import keep_card

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import dspy

    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tracking import Run
    from worksmith.jobs.opening.programs import OpenedProgram
    from worksmith.jobs.settings.groups.measuring import MeasureSettings
    from worksmith.optimizers.cost.budget import Budget


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The conditions under which the programs of a job are measured.

    Attributes:
        judges: asked about every graded episode.
        own_scorers: score the episodes instead of those of the suite's kind.
        budget: of all programs together; None for no limit.
        partial: whether a run counts that the budget cut short.
        shard: the part of a run that the tasks are; None for a whole run.
        engine: runs the programs in other processes; None runs them here.
    """

    suite: Suite
    tasks: list[Task]
    split: str
    settings: MeasureSettings
    judges: tuple[Judge, ...] = ()
    own_scorers: tuple[Scorer, ...] = ()
    budget: Budget | None = None
    partial: bool = True
    shard: Shard | None = None
    progress: Progress = SILENT
    engine: EpisodeEngine | None = None

    @classmethod
    def open(cls, settings: MeasureSettings, progress: Progress) -> Self:
        """Open the suite, its tasks and the judges that settings name.

        Raises:
            InputError: a setting is wrong, or a file.
        """
        leave_out_cache(settings)
        suite = Suite.open(settings.suite)
        split, tasks = choose_tasks(suite, settings, progress, judged=bool(settings.judge))
        if settings.attack:
            tasks = under_attack(suite, tasks, settings.seed, progress)
        judges = open_judges(settings.judge, settings.rubric, suite.env.kind.tables)
        check_judged(tasks, judges)
        return cls(suite=suite, tasks=tasks, split=split, judges=judges, settings=settings, progress=progress)

    def part(self, text: str | None) -> Self:
        """The same on a part of the tasks, `K/N`; None for all of them.

        Raises:
            InputError: the text is not a part, or there are more parts than tasks.
        """
        if text is None:
            return self
        shard, tasks = Shard.open(text, self.tasks)
        return replace(self, shard=shard, tasks=tasks)

    def begin(self, models: Iterable[dspy.LM]) -> Self:
        """The same under the budget, its tools connected to the live org that the settings name.

        The budget is that of the settings, if there is no other.

        Raises:
            InputError: a limit, the org or the engine is wrong, or dollars are limited and a price unknown.
        """
        engine = open_engine(self.settings)
        budget = open_budget(self.settings, models, self.budget)
        connect(self.suite, self.settings, self.progress)
        self.suite.env.check_records()
        judges = counted_judges(self.judges, budget)
        return replace(self, budget=budget, judges=judges, engine=engine)

    @cached_property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers of all programs; made once, since each keeps the expected outcomes of tasks."""
        return self.own_scorers or scorers_for(self.suite.env, self.settings.ground_truth)

    @property
    def stopped(self) -> str:
        """The name of the limit of the budget that was reached; empty without one."""
        return self.budget.stopped if self.budget else ""

    @property
    def dataset(self) -> Dataset:
        """The suite as MLflow calls it."""
        return Dataset(self.suite.path.name, self.suite.digest)

    def described(self, **found: Any) -> dict[str, Any]:
        """The job as data: its settings, and `found` where they leave something open."""
        opened = {"suite": self.suite.path.name, "split": self.split, **found}
        return {**self.settings.described(), **opened, **org_setting(self.suite)}

    def card(
        self,
        command: str,
        opened: OpenedProgram,
        lm: str,
        settings: Mapping[str, Any],
        *,
        model: str = "",
        **more: Any,
    ) -> RunCard:
        """The card of one program's run.

        Args:
            lm: the name of the model.
            settings: of the job, see `JobSettings.described`.
            model: what tables call the model.
            more: further fields of the card, or others than those that the program gives.
        """
        program, compiled = opened.program, opened.compiled
        strategy = strategy_name(program)
        optimizer = compiled.optimizer if compiled else "none"
        fields = {
            "label": f"{strategy if optimizer == 'none' else f'{strategy} + {optimizer}'}, {model}",
            "strategy": strategy,
            "optimizer": optimizer,
            "program": program_digest(program),
            "artifact": opened.named,
            "reopens": opened.reopens,
            "compiled": compiled,
        }
        reopens = opened.reopens and self.suite.reopens
        typed = shlex.join(["worksmith", command, *self.settings.words()])
        return RunCard(
            command=typed if reopens else f"{command}, from Python",
            date=datetime.now().isoformat(" ", "minutes"),
            suite=str(self.suite.path) if self.suite.reopens else "",
            suite_digest=self.suite.digest,
            kind=self.suite.manifest.kind,
            access=policy_note(self.suite.env),
            split=self.split,
            seed=self.settings.seed,
            trials=self.settings.trials,
            lm=lm,
            scorers=scorers_digest([*self.scorers, *self.judges]),
            shard=self.shard,
            settings=dict(settings),
            versions=versions(),
            **(fields | more),
        )

    def open_log(self, file: Path, *, keep: bool = False) -> EpisodeLog:
        """The log in `file`; an earlier one that has verdicts or ratings is moved aside.

        Args:
            keep: refuse to replace an existing log.

        Raises:
            InputError: it must not be replaced, or it belongs to another run.
            InUseError: another process writes to it.
        """
        return EpisodeLog.open(
            file,
            resume=self.settings.resume,
            replies=True,
            make_room=None if keep or self.settings.resume else self._make_room,
        )

    def _make_room(self, file: Path) -> None:
        kept = make_room(file)
        if kept is not None:
            self.progress.say(f"the log that was there has verdicts or ratings; it is now {kept}")

    def run(
        self,
        program: Any,
        lm: dspy.LM,
        log: EpisodeLog,
        card: RunCard,
        tracked: Run,
        *,
        number: int = 1,
        of: int = 1,
    ) -> EvalResult:
        """Run a program on all tasks, or as many as the budget admits, and record the run.

        Args:
            number, of: of the run among the runs of the job, for the display.

        Raises:
            BudgetSpentError: the budget was spent before the first episode, or before the last one where a
                part does not count.
        """
        write_card(log.path, card)
        tracked.logged_in(log.path)
        tracked.dataset(self.dataset, split=self.split, tasks=self.tasks)
        tracked.judges(self.judges, self.tasks)
        with self.progress.bar(f"{card.label} ({number} of {of})" if of > 1 else card.label) as tick:
            result = run_episodes(
                program,
                self.tasks,
                EvalSettings(
                    env=self.suite.env,
                    lm=counted(lm, self.budget),
                    workers=self.settings.workers,
                    seed=self.settings.seed,
                    trials=self.settings.trials,
                    scorers=self.scorers,
                    judges=self.judges,
                    time_limit=self.settings.time_limit,
                    strategy=card.strategy,
                    admission=None if card.baseline else admission(lm, self.budget),
                    engine=None if card.baseline else self.engine,
                ),
                log=log,
                on_progress=lambda at: at.tell(tick),
                on_resume=lambda found: self.progress.say(str(found)),
            )
        enough = result.records if self.partial else not result.unstarted
        if self.budget is not None and not enough:
            self.budget.check()
        tracked.evaluation(result, split=self.split, tasks=self.tasks, baseline=card.baseline)
        keep_card(tracked, card)
        tracked.report(evaluation_report(result, title=card.label, rerun=card.rerun))
        return result


def with_settings_of(lm: dspy.LM, described: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a job with the settings of a model, without credentials."""
    api = {"api": lm.model_type} if lm.model_type != "chat" else {}
    settings = api | {name: value for name, value in plain_settings(lm).items() if value is not None}
    return {**described, **({"model_settings": settings} if settings else {})}


def losses(result: EvalResult) -> list[str]:
    """A sentence for errors of metric and program, and for each kind of loss to the infrastructure."""
    return [said for said in (*mistakes(result), lost_episodes(result)) if said]


def mistakes(result: EvalResult) -> list[str]:
    """A sentence for errors of metric and program, and for verdicts that are missing."""
    found = (failed_scorers(result.records), *failed_programs(result), lost_verdicts(result))
    return [said for said in found if said]


def lost_episodes(result: EvalResult) -> str:
    """The episodes that were lost to the infrastructure, in one sentence; empty without any."""
    lost = result.summary.errors
    if not lost:
        return ""
    first = next(record for record in result.records if not record.graded)
    why = (first.error or first.status).partition("\n")[0]
    return f"{lost} of {len(result.records)} episodes were lost, the first to {why}"


def failed_programs(result: EvalResult) -> list[str]:
    """The episodes that ended by a mistake in the program or a request, in a sentence for each kind."""
    said = []
    for status in ("program_error", "invalid_request"):
        ended = result.summary.statuses.get(status)
        if ended:
            first = next(record for record in result.records if record.status == status)
            why = (first.error or status).partition("\n")[0]
            said.append(f"{ended} of {len(result.records)} episodes ended as {status}, the first of {why}")
    return said


def lost_verdicts(result: EvalResult) -> str:
    """The missing verdicts of judges, in one sentence; empty without any."""
    owing = [judge for judge in result.summary.judging if judge.failed]
    said = "; ".join(f"{each.failed} of {each.verdicts} verdicts of {each.judge}" for each in owing)
    failed = (one.feedback for record in result.records for one in record.judgements if one.status != "ok")
    why = next(failed, "").partition("\n")[0]
    return f"{said} could not be had{f', the first: {why}' if why else ''}" if said else ""
