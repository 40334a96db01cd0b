"""Few-shot by racing: demonstrations in several sizes and of several kinds, judged with few episodes.

The rules are in `optimizers.racing`. Each block of a candidate has an episode log of its own, named after the
candidate and the block's number, so an interrupted race goes on with the first episode that is missing: what
was finished leads to the same decisions again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evals.record import PRIMARY, EpisodeRecord
from evals.runner import EvalResult
from evals.summary import summarize
from optimizers.candidates import Candidate, draw_candidates
from optimizers.job import Compiled, Job, Settings, Trial, outcome
from optimizers.racing import INCUMBENT, Rules, Scores, race
from tools.seeding import rng

if TYPE_CHECKING:
    from evals.task import Task


class Race:
    """Candidates and the program as it is meet on dev in blocks; the winner has to beat the latter."""

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task; at most every dev task for everybody."""
        return {"teacher": len(job.train), "dev": len(job.dev) * (1 + job.settings.candidates)}

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: what the runner raises.
        """
        bank = job.bank()
        gaps = bank.report()["without"]
        candidates = draw_candidates(job, bank)
        if not candidates:
            alone = job.try_out(INCUMBENT, job.program, ())
            return Compiled(job.program, (), (alone,), INCUMBENT, gaps)
        everybody = {INCUMBENT: Candidate(job.program, ()), **candidates}
        track = _Track(job, everybody)
        found = race(list(candidates), len(job.dev), track.run, rules(job.settings))
        trials = tuple(track.trial(name, found.report(name)) for name in everybody)
        winner = everybody[found.winner]
        return Compiled(winner.program, winner.demonstrations, trials, found.winner, gaps)


def rules(settings: Settings) -> Rules:
    """The rules of a race under an optimizer's settings."""
    return Rules(alpha=settings.alpha, margin=settings.margin)


def dev_order(tasks: Sequence[Task], seed: int) -> list[Task]:
    """The order in which everybody meets the dev tasks."""
    ordered = sorted(tasks, key=lambda task: task.id)
    rng(seed, "race").shuffle(ordered)
    return ordered


def _score(record: EpisodeRecord) -> float | None:
    """What candidates are compared by; None where the infrastructure failed."""
    return record.scores.get(PRIMARY) if record.graded else None


class _Track:
    """Runs the blocks and keeps their episodes."""

    def __init__(self, job: Job, entries: dict[str, Candidate]) -> None:
        self._job = job
        self._entries = entries
        self._tasks = dev_order(job.dev, job.settings.seed)
        self._results: dict[str, list[EvalResult]] = {name: [] for name in entries}

    def run(self, names: Sequence[str], start: int, stop: int) -> dict[str, Scores]:
        """A block's scores, as `optimizers.racing.Run` has it."""
        logs = {name: f"race-{name}-{len(self._results[name]):03}" for name in names}
        tasks = self._tasks[start:stop]
        runs = {logs[name]: (self._entries[name].program, tasks) for name in names}
        results = self._job.student.together(runs)
        for name in names:
            self._results[name].append(results[logs[name]])
        return {name: [_score(record) for record in results[logs[name]].records] for name in names}

    def trial(self, name: str, report: dict[str, Any]) -> Trial:
        """What an arm came to, over all blocks that it ran."""
        blocks = self._results[name]
        records = tuple(record for block in blocks for record in block.records)
        result = replace(
            blocks[0],
            records=records,
            summary=summarize(records, seed=blocks[0].seed),
            resumed=sum(block.resumed for block in blocks),
            seconds=sum(block.seconds for block in blocks),
        )
        return Trial(
            name=name,
            program=result.program,
            demonstrations=tuple(d.task_id for d in self._entries[name].demonstrations),
            score=outcome(result),
            errors=result.summary.errors,
            result=result,
            race=report,
        )
