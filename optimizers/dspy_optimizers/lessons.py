"""What DSPy's own optimizers need around a program: a strict metric, traces of last steps, provenance."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

import dspy

from evals.dspy_programs.asked import given_to
from evals.dspy_programs.demo_format import DemoNotes, without_notes
from evals.dspy_programs.digests import program_digest
from evals.lm.failures import failure_status
from evals.records.record import PRIMARY
from evals.scoring.constraints import acceptable
from evals.scoring.scorer import scores_of
from optimizers.demos.demonstration import Demonstration, LastCall, TraceStep, last_calls, quoted_records
from optimizers.demos.redaction import with_twins
from optimizers.dspy_optimizers.feedback import feedback
from optimizers.dspy_optimizers.standings import Standings, admitted
from optimizers.job import Job
from tools.files.secrets import described
from tools.seeding import digest
from tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from evals.tasks.task import Task, VisibleTask
    from tools.environment import Environment
    from tools.episode_result import EpisodeResult


class Held:
    """An episode in a prediction, which no optimizer can write into a prompt.

    Attributes:
        by: what `Standings` calls the program that ran it.
    """

    def __init__(self, episode: EpisodeResult, by: str = "") -> None:
        self.episode = episode
        self.by = by


class Lessons:
    """Judges episodes for an optimizer of DSPy's and remembers where its demonstrations come from.

    Shared by reference between the copies that optimizers make of a program; thread-safe.

    Attributes:
        broken: the first exception of a scorer. Optimizers would take it for a bad program's.
        taught: whether any episode of the teacher succeeded.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.broken: Exception | None = None
        self.taught = False
        self._tasks = {task.id: task for task in (*job.train, *job.dev)}
        self._scorers = tuple(job.student.scorers or _default_scorers(job))
        # Evaluations call the metric from many threads.
        self._lock = threading.Lock()
        self._by_part: dict[str, Demonstration] = {}
        self._gaps: Counter[str] = Counter()
        self._running: dict[Hashable, Future[Any]] = {}
        self.standings = Standings(job, self.shown_by)
        job.standings = self.standings.contenders

    @property
    def env(self) -> Environment:
        """Where the teacher's episodes run."""
        return self.job.teacher.env

    def task(self, visible: VisibleTask) -> Task:
        """The whole task of which an optimizer knows the visible part."""
        return self._tasks[visible.id]

    def metric(self, example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        """Whether an episode did its task and broke no constraint. `trace` is given in bootstrapping only."""
        episode: EpisodeResult = prediction.held.episode
        task = self.task(example.task)
        finished = episode.status == "finished"
        scores = self._scores(task, episode) if finished else {}
        right = scores.get(PRIMARY, 0.0) >= 1.0 and acceptable(self.job.settings.constraints, scores)
        taught = trace is not None
        right = right and not (taught and not episode.calls)
        if not taught:
            known = None if episode.status in INFRASTRUCTURE else right
            self.standings.note(prediction.held.by, task, known)
        if taught and right:
            self.taught = True
        elif taught:
            with self._lock:
                self._gaps["wrong outcome" if finished else episode.status] += 1
        return right

    def reward(
        self,
        gold: dspy.Example,
        pred: dspy.Prediction | None,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> dspy.Prediction:
        """As `metric`, with what the episode came to in words, for optimizers that reflect on it."""
        if pred is None:
            return dspy.Prediction(score=0.0, feedback="The program failed.")
        task, episode = self.task(gold.task), pred.held.episode
        right = self.metric(gold, pred)
        return dspy.Prediction(
            score=float(right), feedback=feedback(task, episode, self._scores(task, episode))
        )

    def count(self, episode: EpisodeResult, *, taught: bool) -> None:
        """Count what an episode cost."""
        with self._lock:
            (self.job.teacher if taught else self.job.student).cost.add(episode)

    def note(
        self, task: Task, episode: EpisodeResult, parts: dict[str, dict[str, Any]], *, taught: bool
    ) -> None:
        """Remember what an episode of the teacher or the student showed: it may become a demonstration."""
        demonstration = Demonstration(
            task_id=task.id,
            query=task.query,
            intent=task.intent,
            domains=task.domains,
            tools=tuple(call.tool for call in episode.calls),
            records=quoted_records(episode),
            scores=dict(self._scores(task, episode)),
            teacher=(self.job.teacher if taught else self.job.student).model,
            parts=parts,
        )
        with self._lock:
            self._by_part.update((digest(part), demonstration) for part in parts.values())

    def failed(self, error: Exception) -> None:
        """Count an exception of the program, which the optimizer will swallow."""
        with self._lock:
            self._gaps[f"{failure_status(error)}: {described(error)}"] += 1

    def disclose(self, part: dict[str, Any]) -> dict[str, Any]:
        """A predictor's fields as the proposer is shown them: their twin, or else as they are, and noted."""
        notes, shown = DemoNotes.of(part), without_notes(part)
        if notes.redacted is None:
            if self.job.proposer is not None:
                with self._lock:
                    self.job.proposer.seen.update(notes.records)
            return shown
        return {name: notes.redacted.get(name, value) for name, value in shown.items()}

    def once(self, key: Hashable, run: Callable[[], Any]) -> Any:
        """What `run` gives; of calls with the same key at the same time only the first runs."""
        with self._lock:
            others = self._running.get(key)
            ours: Future[Any] | None = None
            if others is None:
                ours = self._running[key] = Future()
        if ours is None:
            assert others is not None
            return others.result()
        try:
            found = run()
            ours.set_result(found)
        except BaseException as error:
            ours.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._running[key]
        return found

    @property
    def gaps(self) -> dict[str, int]:
        """Why training tasks gave no demonstration."""
        return dict(self._gaps.most_common())

    def shown_by(self, program: dspy.Module) -> tuple[Demonstration, ...]:
        """The demonstrations in a compiled program's predictors."""
        found: dict[str, Demonstration] = {}
        for predictor in program.predictors():
            for demo in predictor.demos:
                part = {name: value for name, value in demo.items() if name != "augmented"}
                demonstration = self._by_part[digest(part)]
                found[demonstration.task_id] = demonstration
        return tuple(found.values())

    def digest(self, program: dspy.Module) -> str:
        """Content address of a candidate."""
        return program_digest(program)

    def _scores(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        try:
            return scores_of(self._scorers, task, episode)
        except Exception as error:
            self.broken = self.broken or error
            raise

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class LastSteps(dspy.Module):  # type: ignore[misc]
    """The program itself, except that its trace holds only each predictor's last call, as plain data.

    Args:
        reflected: whether the trace is for a proposer to read, and not to become demonstrations.
    """

    def __init__(self, program: dspy.Module, lessons: Lessons, *, reflected: bool = False) -> None:
        super().__init__()
        self.program = program
        self._lessons = lessons
        self._reflected = reflected

    def forward(self, task: VisibleTask) -> dspy.Prediction:
        """Run the program on `task`."""
        outer = dspy.settings.trace
        traced = outer is not None
        key = (id(self), task.id, traced)
        whole = self._lessons.task(task)
        prediction, steps = self._lessons.once(key, lambda: self._run(whole, traced))
        if traced:
            outer.extend(steps)
        return prediction

    def _run(self, task: Task, traced: bool) -> tuple[dspy.Prediction, list[TraceStep]]:
        lessons = self._lessons
        if lessons.broken is not None:
            raise lessons.broken
        with admitted(lessons.job, str(id(self))):
            return self._admitted(task, traced)

    def _admitted(self, task: Task, traced: bool) -> tuple[dspy.Prediction, list[TraceStep]]:
        lessons = self._lessons
        taught = traced and dspy.settings.lm is lessons.job.teacher.lm
        try:
            with dspy.context(trace=[] if traced else None):
                prediction = self._perform(task, taught)
                found = last_calls(self.program, dspy.settings.trace or ())
        except Exception as error:
            lessons.failed(error)
            raise
        episode = prediction.episode
        lessons.count(episode, taught=taught)
        steps = self._noted(task, episode, found, taught) if traced else []
        held = Held(episode, "" if taught else lessons.standings.enter(self.program))
        return dspy.Prediction(answer=prediction.answer, held=held), steps

    def _perform(self, task: Task, taught: bool) -> dspy.Prediction:
        perform = self._lessons.job.perform
        given = given_to(self.program, task)
        return self.program(task=given) if perform is None else perform(self.program, task, taught)

    def _noted(
        self, task: Task, episode: EpisodeResult, found: dict[str, LastCall], taught: bool
    ) -> list[TraceStep]:
        calls = with_twins(found, task, self._lessons.env)
        if not self._reflected:
            parts = {name: call.fields for name, call in calls.items()}
            self._lessons.note(task, episode, parts, taught=taught)
        predictors = dict(self.program.named_predictors())
        steps = []
        for name, call in calls.items():
            inputs, outputs = call
            if self._reflected:
                shown = self._lessons.disclose(call.fields)
                inputs = {field: value for field, value in shown.items() if field not in outputs}
                outputs = {field: value for field, value in shown.items() if field in outputs}
            steps.append((predictors[name], inputs, dspy.Prediction(**outputs)))
        return steps


def _default_scorers(job: Job) -> tuple[Any, ...]:
    from evals.task_kind import scorers_for

    return scorers_for(job.student.env)
