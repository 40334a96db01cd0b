"""One program under settings: each of its episodes is identified, run, scored and recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import model_digest, program_digest, scorers_digest, strategy_name
from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.records.record import PRIMARY, Digests, EpisodeRecord, WorkUnit
from worksmith.evals.records.verdicts import JUDGE, with_verdict
from worksmith.evals.running.asked_judges import ask_judges, judge_raised
from worksmith.evals.running.episode_worker import EpisodeWorker
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.task_kind import scorers_for, task_kind
from worksmith.tools.code import code_digest
from worksmith.tools.episode_result import EpisodeResult, Usage
from worksmith.tools.errors import InputError
from worksmith.tools.files.unicode import writable
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.lm.metering import Meter
    from worksmith.evals.lm.replies.episodes import EpisodeReplies
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.evals.tasks.task import Task


class RolloutJob:
    """The episodes of a program under settings.

    Args:
        program: a `dspy.Module` or callable that takes `task=` and returns a prediction with an `.episode`.
        settings: the environment, the model, the scorers, the judges and the limits.
        replies: keeps the replies to episodes.

    Raises:
        InputError: replies cannot be kept, or requests of a model not be counted.
    """

    def __init__(
        self, program: Callable[..., Any], settings: EvalSettings, replies: EpisodeReplies | None = None
    ) -> None:
        import dspy

        from worksmith.evals.lm.metering import metered

        self.program = program
        self.settings = settings
        self.lm = dspy.settings.lm if settings.lm is None else settings.lm
        self.scorers = scorers_for(settings.env) if settings.scorers is None else settings.scorers
        self.kind = task_kind(settings.env.kind.name)
        self.strategy = settings.strategy or strategy_name(program)
        self.program_digest = program_digest(program)
        self._digests = Digests(
            program=self.program_digest,
            code=digest([code_digest(program), settings.env.code_digest]),
            task="",
            world="",
            model=model_digest(self.lm),
            scorers=scorers_digest([*self.scorers, *settings.judges]),
        )
        # Requests to every model are counted, the program's own models included.
        counted = settings.admission.counted if settings.admission is not None else metered
        self._replies = replies

        def asked(lm: Any) -> Any:
            return counted(lm) if replies is None else replies.keeping(counted(lm))

        from worksmith.evals.lm.rewards import telling_rewards

        self._judges = settings.judges
        if replies is not None:
            self._judges = [with_models(judge, replies.keeping) for judge in settings.judges]
        lm = None if self.lm is None else asked(self.lm)
        models = [_for_trial(lm, settings.seed, trial) for trial in range(settings.trials)]
        self.work = EpisodeWorker(
            settings.env, telling_rewards(with_models(program, asked)), models, self.scorers
        )

    def unit(self, task: Task, trial: int) -> WorkUnit:
        # The tables of a served environment change.
        now = {"task": task.digest, "world": self.settings.env.digest}
        digests = self._digests.model_copy(update=now)
        return WorkUnit(
            task_id=task.id, strategy=self.strategy, seed=self.settings.seed, trial=trial, digests=digests
        )

    def run(
        self, unit: WorkUnit, task: Task, meter: Meter | None = None, *, attempt: int = 1
    ) -> EpisodeRecord:
        """Run one episode and record it.

        Args:
            meter: counts the usage of the episode, for callers that read it meanwhile.
            attempt: the number of the attempt at the episode.

        Raises:
            InputError: no other episode would fare better.
            AdmissionError: the budget is spent.
        """
        engine = self.engine()
        with self._asking(unit, meter, attempt) as used:
            if engine is None:
                record = self.work.run(unit, task, used)
            else:
                record = engine.run(self.work, unit, task, used)
            return self._judged(record, task)

    def engine(self) -> EpisodeEngine | None:
        """What runs the episodes; None for this process, to something of which a program may write."""
        return None if getattr(self.program, "runs_here", False) else self.settings.engine

    def episode(self, unit: WorkUnit, task: Task, meter: Meter | None = None) -> EpisodeResult:
        """Run one episode without a record of it; arguments and errors as in `run`."""
        with self._asking(unit, meter, 1) as used:
            return self.work.episode(task, used)[0]

    @contextmanager
    def _asking(self, unit: WorkUnit, meter: Meter | None, attempt: int) -> Iterator[Meter]:
        """A block in which the models of an episode are asked and counted, and their replies kept."""
        kept = nullcontext(Usage()) if self._replies is None else self._replies.asking(unit.key, attempt)
        with kept as owed, self.work.asking(unit.trial, meter) as used:
            used.add(owed)
            yield used

    def record(self, unit: WorkUnit, task: Task, episode: EpisodeResult) -> EpisodeRecord:
        """The record of an episode that has run: scored, diagnosed and judged."""
        return self._judged(self.work.record(unit, task, episode), task)

    def _judged(self, record: EpisodeRecord, task: Task) -> EpisodeRecord:
        record = ask_judges(self._judges, task, record)
        return _counting_verdict(record) if task.judged and record.graded else record


def _counting_verdict(record: EpisodeRecord) -> EpisodeRecord:
    """The record of a task that judges decide; not graded if no judge gave a level.

    Raises:
        InputError: no judge was asked.
    """
    if JUDGE not in record.scores:
        if not record.judgements:
            raise InputError(
                "a judge's verdict is part of its outcome, and no judge is named",
                where=f"task {record.task_id}",
                hint="name a model with --judge",
            )
        if said := judge_raised(record):
            scores = {**record.scores, PRIMARY: 0.0}
            return record.model_copy(
                update={"scores": scores, "error": writable(said), "scorer_failed": True}
            )
        error = f"no judge gave a level: {record.judgements[0].feedback.partition(chr(10))[0]}"
        failed = {"status": "harness_error", "error": writable(error), "scorer_failed": True}
        return record.model_copy(update=failed)
    scores, fault = with_verdict(record.scores), record.fault
    if fault is None and scores[PRIMARY] < 1:
        said = next((each.feedback for each in record.judgements if each.feedback), "")
        fault = FaultEntry(kind="judged_low", detail=writable(said)[:200])
    return record.model_copy(update={"scores": scores, "fault": fault})


def _for_trial(lm: Any, seed: int, trial: int) -> Any:
    """The model for one trial: later trials must not be answered from the cache of the first.

    DSPy caches by request; a rollout id makes equal requests differ. At temperature 0 there is nothing
    to sample, so the model stays as it is.
    """
    rollout = seed * 1_000_003 + trial
    if lm is None or rollout == 0 or getattr(lm, "kwargs", {}).get("temperature") == 0:
        return lm
    return lm.copy(rollout_id=rollout) if hasattr(lm, "copy") else lm
