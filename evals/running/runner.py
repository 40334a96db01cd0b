"""The runner: programs on tasks, in parallel, every episode on record.

    with EpisodeLog.open("episodes.jsonl", resume=True) as log:
        result = evaluate(program, tasks, EvalSettings(env=suite.env, lm=lm, workers=32), log=log)
    print(result.summary.scores["outcome"])

A program is any `dspy.Module` (or callable) that takes `task=` and returns a prediction with an `.episode`.
The same program, tasks, world, model replies and seed give the same scores for any number of workers,
and after a kill and resume.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.outage import IN_VAIN, Outage
from worksmith.evals.running.program_run import Attempt, ProgramRun, RunPlan
from worksmith.evals.running.result import EvalResult, EvaluationProgress
from worksmith.evals.running.resuming import Resumed
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.running.workers import Workers

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task


ATTEMPTS = 3
"""The most attempts at an episode that is lost to the infrastructure.

Further attempts are made when all others have ended, so that an outage can pass. An episode that exceeds its
time limit is not tried again: the limit is the user's.
"""


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation; finished episodes are in the log. Commands end with exit code 130."""

    def __init__(self, done: int, total: int, log: EpisodeLog | None) -> None:
        place = f"; they are in {log.path}, continue with --resume" if log is not None else ""
        super().__init__(f"stopped after {done} of {total} episodes{place}")
        self.done = done
        self.total = total


def evaluate(
    program: Callable[..., Any],
    tasks: Sequence[Task],
    settings: EvalSettings,
    *,
    log: EpisodeLog | None = None,
    on_progress: Callable[[EvaluationProgress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> EvalResult:
    """Run one program on tasks and score each episode.

    Args:
        program: takes `task=` and returns a prediction with an `.episode`.
        settings: the environment, the model, the scorers, the judges and the limits.
        log: gets each episode as it ends; episodes that it already holds are not run again.
        on_progress, on_resume: see `evaluate_together`.

    Returns:
        The episodes in the order of tasks and trials, and their figures.

    Raises:
        InputError, ModelDownError, EvaluationInterrupted: see `evaluate_together`.
    """
    plans = [RunPlan(program, tasks, log)]
    return evaluate_together(plans, settings, on_progress=on_progress, on_resume=on_resume)[0]


def evaluate_together(
    plans: Sequence[RunPlan],
    settings: EvalSettings,
    *,
    on_progress: Callable[[EvaluationProgress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> list[EvalResult]:
    """Run several programs at once, so that no worker is idle while one of them has episodes left.

    Args:
        on_progress: called with each episode, in the calling thread.
        on_resume: called before the first episode, for each log that holds some, with the counts of episodes
            taken over and run.

    Returns:
        A result for each plan; the seconds of each are those of all together.

    Raises:
        InputError: a setting or an argument of a program is wrong.
        ModelDownError: the model has answered no episode so far, see `worksmith.evals.running.outage`.
        EvaluationInterrupted: on Ctrl-C, after episodes in flight had a moment to finish.
    """
    started = time.perf_counter()
    running = [ProgramRun(plan, place, settings) for place, plan in enumerate(plans)]
    for each in running:
        if on_resume is not None and (found := each.resumed()) is not None:
            on_resume(found)
        each.charge_known()
    outage = Outage(running[0].job.lm, known=any(each.ended for each in running))

    def counts() -> tuple[int, int]:
        return sum(each.ended for each in running), sum(each.total for each in running)

    def attempt(episodes: Iterable[tuple[ProgramRun, int]], count: int, *, first: bool = False) -> None:
        def keep(attempt: Attempt, record: EpisodeRecord | None) -> None:
            if record is None:
                return
            attempt.program_run.keep(attempt.place, record)
            if on_progress:
                so_far = attempt.program_run.so_far(record)
                on_progress(EvaluationProgress(*counts(), pool.in_flight, **so_far))
            settings.unscored.note_record(record)
            if first:
                outage.note(record)

        pool: Workers[Attempt, EpisodeRecord | None] = Workers(
            Attempt.run,
            workers=settings.workers,
            on_result=keep,
            time_limit=settings.time_limit,
            overdue=Attempt.timed_out,
            begun=lambda attempt: attempt.begun,
        )
        # Each attempt is made when it is taken: objects of all would fill the memory of a long run.
        pool.run(starmap(Attempt, episodes), count)

    try:
        fresh = sum(len(each.fresh) for each in running)
        attempt(((each, place) for each in running for place in each.fresh), fresh, first=True)
        for _ in range(ATTEMPTS - 1):
            lost = [(each, place) for each in running for place in sorted(each.lost)]
            attempt(lost[:IN_VAIN], len(lost[:IN_VAIN]))
            if len(lost) >= IN_VAIN and all(place in each.lost for each, place in lost[:IN_VAIN]):
                break  # the outage goes on
            attempt(lost[IN_VAIN:], len(lost[IN_VAIN:]))
    except KeyboardInterrupt as stop:
        raise EvaluationInterrupted(*counts(), plans[0].log) from stop
    seconds = time.perf_counter() - started
    return [each.result(seconds) for each in running]
