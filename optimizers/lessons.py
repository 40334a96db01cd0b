"""What DSPy's own optimizers need around a program: a strict metric, traces of last steps, provenance."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

import dspy

from evals.identity import program_digest
from evals.record import PRIMARY
from evals.runner import failure_status
from optimizers.demonstration import Demonstration, last_calls, quoted_records
from optimizers.job import Job
from optimizers.redaction import with_twins
from tools.seeding import digest

if TYPE_CHECKING:
    from evals.task import Task
    from tools.episode import EpisodeResult
    from tools.workshop import Workshop


class Lessons:
    """Judges episodes for an optimizer of DSPy's and remembers where its demonstrations come from.

    Shared by reference between the copies that optimizers make of a program; thread-safe.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._scorers = tuple(job.student.scorers or _default_scorers(job))
        # Evaluations call the metric from many threads.
        self._lock = threading.Lock()
        self._by_part: dict[str, Demonstration] = {}
        self._gaps: Counter[str] = Counter()

    @property
    def workshop(self) -> Workshop:
        """Where the teacher's episodes run."""
        return self._job.teacher.workshop

    def metric(self, example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        """Whether an episode did its task. `trace` is given while bootstrapping only."""
        episode: EpisodeResult = prediction.episode
        finished = episode.status == "finished"
        right = finished and self._scores(example.task, episode).get(PRIMARY, 0.0) >= 1.0
        taught = trace is not None
        right = right and not (taught and not episode.calls)
        with self._lock:
            (self._job.teacher if taught else self._job.student).cost.add(episode)
            if taught and not right:
                self._gaps["wrong outcome" if finished else episode.status] += 1
        return right

    def note(self, task: Task, episode: EpisodeResult, parts: dict[str, dict[str, Any]]) -> None:
        """Remember what an episode showed, in case it becomes a demonstration."""
        demonstration = Demonstration(
            task_id=task.id,
            query=task.query,
            intent=task.intent,
            domains=task.domains,
            tools=tuple(call.tool for call in episode.calls),
            records=quoted_records(episode),
            scores=dict(self._scores(task, episode)),
            teacher=self._job.teacher.model,
            parts=parts,
        )
        with self._lock:
            self._by_part.update((digest(part), demonstration) for part in parts.values())

    def failed(self, error: Exception) -> None:
        """Count an exception of the program, which the optimizer will swallow."""
        with self._lock:
            self._gaps[f"{failure_status(error)}: {type(error).__name__}: {error}"] += 1

    @property
    def gaps(self) -> dict[str, int]:
        """Why training tasks gave no demonstration."""
        return dict(self._gaps.most_common())

    def shown_by(self, program: dspy.Module) -> tuple[Demonstration, ...]:
        """The demonstrations in a compiled program's predictors."""
        found: dict[str, Demonstration] = {}
        for predictor in program.predictors():
            for demo in predictor.demos:
                part = {name: value for name, value in demo.toDict().items() if name != "augmented"}
                demonstration = self._by_part[digest(part)]
                found[demonstration.task_id] = demonstration
        return tuple(found.values())

    def digest(self, program: dspy.Module) -> str:
        """Content address of a candidate."""
        return program_digest(program)

    def _scores(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        scores: dict[str, float] = {}
        for scorer in self._scorers:
            scores.update({name: float(value) for name, value in scorer(task, episode).items()})
        return scores

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class LastSteps(dspy.Module):  # type: ignore[misc]
    """The program itself, except that its trace holds only each predictor's last call, as plain data."""

    def __init__(self, program: dspy.Module, lessons: Lessons) -> None:
        super().__init__()
        self.program = program
        self._lessons = lessons

    def forward(self, task: Task) -> dspy.Prediction:
        """Run the program on `task`."""
        outer = dspy.settings.trace
        try:
            with dspy.context(trace=[]):
                prediction = self.program(task=task)
                found = last_calls(self.program, dspy.settings.trace)
        except Exception as error:
            self._lessons.failed(error)
            raise
        if outer is not None:
            calls = with_twins(found, task, self._lessons.workshop)
            self._lessons.note(task, prediction.episode, {name: call.fields for name, call in calls.items()})
            predictors = dict(self.program.named_predictors())
            outer.extend(
                (predictors[name], c.inputs, dspy.Prediction(**c.outputs)) for name, c in calls.items()
            )
        return prediction


def _default_scorers(job: Job) -> tuple[Any, ...]:
    from evals.scorers import scorers_for

    return scorers_for(job.student.workshop)
