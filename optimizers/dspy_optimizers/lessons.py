"""The wrapper of a program for DSPy's optimizers: a strict metric, short traces, provenance."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

import dspy

from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.dspy_programs.demo_format import AUGMENTED, DemoNotes, without_notes
from worksmith.evals.dspy_programs.own_models import check_fields, give_models
from worksmith.evals.dspy_programs.traces import TraceStep, traced
from worksmith.evals.lm.failures import failure_status
from worksmith.evals.lm.users_code import UserCodeError, placed
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.recording import call_entries
from worksmith.evals.running.outage import UnscoredError
from worksmith.evals.scoring.constraints import acceptable
from worksmith.evals.scoring.metric import MetricScorer
from worksmith.evals.scoring.scorer import scores_of
from worksmith.evals.suite import as_examples
from worksmith.evals.task_kind import run_program
from worksmith.evals.tasks.task import VisibleTask
from worksmith.optimizers.demos.collection import teaches_idle
from worksmith.optimizers.demos.demonstration import Demonstration, example_calls, quoted_records
from worksmith.optimizers.demos.redaction import with_twins
from worksmith.optimizers.dspy_optimizers.standings import Standings, admitted
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.proposals.feedback import feedback
from worksmith.tools.canonical import canonical, path
from worksmith.tools.seeding import digest
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult


class Held:
    """An episode in a prediction, which no optimizer can write into a prompt.

    Attributes:
        task: that was run.
        standing: the name under which `Standings` has the program that ran it.
    """

    def __init__(self, task: Task, episode: EpisodeResult, standing: str = "") -> None:
        self.task = task
        self.episode = episode
        self.standing = standing


class Lessons:
    """Judges episodes for an optimizer of DSPy's and remembers where its demonstrations come from.

    Shared by reference between the copies that optimizers make of a program; thread-safe.

    Attributes:
        broken: the first exception of a scorer. Optimizers would take it for a bad program's.
        taught: whether any episode of the teacher succeeded.
    """

    def __init__(self, context: CompileContext) -> None:
        self.context = context
        self.broken: Exception | None = None
        self.taught = False
        self._tasks = {
            _asked(example): task
            for task in (*context.train, *context.dev)
            for example in as_examples([task])
        }
        self._scorers = tuple(context.student.scorers or _default_scorers(context))
        # Evaluations call the metric from many threads.
        self._lock = threading.Lock()
        self._by_part: dict[str, Demonstration] = {}
        self._gaps: Counter[str] = Counter()
        self._running: dict[Hashable, Future[Any]] = {}
        self.standings = Standings(context, self.shown_by)
        context.also_measured(self.standings.contenders)

    def task(self, inputs: Mapping[str, Any]) -> Task:
        """The task of an example's inputs."""
        return self._tasks[_asked(inputs)]

    def metric(self, example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        """Whether an episode did its task and broke no constraint. `trace` is given in bootstrapping only."""
        episode: EpisodeResult = prediction.held.episode
        task: Task = prediction.held.task
        finished = episode.status == "finished"
        scores, failure = self._scores(task, episode) if finished else ({}, "")
        if finished:
            self._count_score(failure)
        right = scores.get(PRIMARY, 0.0) >= self.context.settings.threshold and acceptable(
            self.context.settings.constraints, scores
        )
        if trace is None:
            known = None if episode.status in INFRASTRUCTURE else right
            self.standings.note(prediction.held.standing, task, known)
            return right
        right = right and (bool(episode.calls) or teaches_idle(self.context.teacher.env))
        if right:
            self.taught = True
        else:
            self._count_gap(failure or ("wrong outcome" if finished else episode.status))
        return right

    def reward(
        self,
        gold: dspy.Example,
        pred: dspy.Prediction | None,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> dspy.Prediction:
        """As `metric`, with a description of the episode, for optimizers that reflect on it."""
        if pred is None:
            return dspy.Prediction(score=0.0, feedback="The program failed.")
        task, episode = pred.held.task, pred.held.episode
        right = self.metric(gold, pred)
        scores, calls = self._scores(task, episode)[0], call_entries(episode)
        words = self._told(task, episode) or feedback(task, episode, calls, scores)
        return dspy.Prediction(score=float(right), feedback=words)

    def _count_score(self, failure: str) -> None:
        try:
            self.context.student.unscored.note(failure or None)
        except UnscoredError as error:
            self.broken = self.broken or error
            raise

    def _told(self, task: Task, episode: EpisodeResult) -> str:
        """The words of the user's metric on an episode; empty without any."""
        try:
            told = (s.feedback(task, episode) for s in self._scorers if isinstance(s, MetricScorer))
            return next(filter(None, told), "")
        except UserCodeError as error:
            return str(error)

    def count(self, episode: EpisodeResult, *, taught: bool) -> None:
        with self._lock:
            self._rollouts(taught).cost.add(episode)

    def note(
        self, task: Task, episode: EpisodeResult, parts: dict[str, dict[str, Any]], *, taught: bool
    ) -> None:
        """Remember an episode of the teacher or the student: it may become a demonstration."""
        demonstration = Demonstration.of(
            task,
            tools=tuple(call.tool for call in episode.calls),
            records=quoted_records(episode),
            scores=self._scores(task, episode)[0],
            teacher=self._rollouts(taught).model,
            parts=parts,
        )
        with self._lock:
            self._by_part.update((_key(part), demonstration) for part in parts.values())

    def failed(self, error: Exception) -> None:
        """Count an exception of the program, which the optimizer will swallow."""
        self._count_gap(f"{failure_status(error)}: {placed(error)}")

    def disclose(self, part: dict[str, Any]) -> dict[str, Any]:
        """A predictor's fields for the proposer: from their twin, or else unchanged, which is noted."""
        notes, shown = DemoNotes.of(part), without_notes(part)
        if notes.redacted is not None:
            return {**{name: shown[name] for name in ("augmented",) if name in shown}, **notes.redacted}
        if self.context.proposer is not None:
            with self._lock:
                self.context.proposer.seen.update(notes.records)
        return shown

    def disclosed_step(
        self, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> tuple[dict[str, Any], dspy.Prediction]:
        """The inputs and outputs of a predictor's call for the proposer, as in DSPy's traces."""
        shown = self.disclose({**inputs, **outputs})
        disclosed = {name: shown.pop(name) for name in outputs if name in shown}
        return shown, dspy.Prediction(disclosed)

    def once(self, key: Hashable, run: Callable[[], Any]) -> Any:
        """The result of `run`; of calls with the same key at the same time only the first runs."""
        with self._lock:
            others = self._running.get(key)
            if others is None:
                ours = self._running[key] = Future()
        if others is not None:
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
        return dict(self._gaps.most_common())

    def shown_by(self, program: dspy.Module) -> tuple[Demonstration, ...]:
        found: dict[str, Demonstration] = {}
        for predictor in program.predictors():
            for demo in predictor.demos:
                # An example that an optimizer shows is not a person's demonstration.
                if (demonstration := self.made(demo)) is not None:
                    found[demonstration.task_id] = demonstration
        return tuple(found.values())

    def made(self, demo: Mapping[str, Any]) -> Demonstration | None:
        """The demonstration that a predictor's example is from; None if it comes from no episode."""
        unmarked = {name: value for name, value in demo.items() if (name, value) != AUGMENTED}
        return self._by_part.get(_key(demo)) or self._by_part.get(_key(unmarked))

    def _rollouts(self, taught: bool) -> Any:
        return self.context.teacher if taught else self.context.student

    def _count_gap(self, reason: str) -> None:
        with self._lock:
            self._gaps[reason] += 1

    def _scores(self, task: Task, episode: EpisodeResult) -> tuple[dict[str, float], str]:
        """The scores, and the exception of the user's metric; empty without one."""
        try:
            return scores_of(self._scorers, task, episode), ""
        except UserCodeError as error:
            return dict(error.scores), str(error)
        except Exception as error:
            self.broken = self.broken or error
            raise

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


_KEYWORDS = frozenset({"augmented", "base", "self"})
"""Optimizers make a demonstration with `dspy.Example(augmented=True, **inputs, **outputs)`."""


class Sampled(dspy.Module):  # type: ignore[misc]
    """A program whose trace holds one call of each predictor, as plain data.

    Args:
        reflected: whether the trace is for a proposer to read, and not to become demonstrations.
    """

    def __init__(self, program: dspy.Module, lessons: Lessons, *, reflected: bool = False) -> None:
        super().__init__()
        check_fields(program, _KEYWORDS, "DSPy's optimizers cannot write into a demonstration")
        self.program = program
        self._lessons = lessons
        self._reflected = reflected

    def deepcopy(self) -> Self:
        return copied_program(self)

    def reset_copy(self) -> Self:
        """A copy without demonstrations; DSPy's would have no models either."""
        made: Self = super().reset_copy()
        give_models(made, self)
        return made

    def forward(self, **inputs: Any) -> dspy.Prediction:
        outer = dspy.settings.trace
        wanted = outer is not None
        whole = self._lessons.task(inputs)
        key = (id(self), whole.id, wanted)
        prediction, steps = self._lessons.once(key, lambda: self._run(whole, wanted))
        if wanted:
            outer.extend(steps)
        return prediction

    def _run(self, task: Task, wanted: bool) -> tuple[dspy.Prediction, list[TraceStep]]:
        lessons = self._lessons
        if lessons.broken is not None:
            raise lessons.broken
        taught = wanted and dspy.settings.lm is lessons.context.teacher.lm
        with admitted(lessons.context, str(id(self))):
            try:
                with traced(wanted) as trace:
                    prediction = self._perform(task, taught)
                episode = prediction.episode
                lessons.count(episode, taught=taught)
                steps = self._steps(task, episode, trace, taught) if wanted else []
            except Exception as error:
                lessons.failed(error)
                raise
            held = Held(task, episode, "" if taught else lessons.standings.enter(self.program))
            return dspy.Prediction(answer=prediction.answer, held=held), steps

    def _perform(self, task: Task, taught: bool) -> dspy.Prediction:
        context = self._lessons.context
        program = (context.teaching_program if taught else None) or self.program
        if context.perform is not None:
            return context.perform(program, task, taught)
        return run_program(program, task, context.student.env)

    def _steps(
        self, task: Task, episode: EpisodeResult, trace: list[TraceStep], taught: bool
    ) -> list[TraceStep]:
        """A call of each predictor as DSPy's trace has it; one that may become a demonstration is noted."""
        lessons = self._lessons
        found = example_calls(self.program, trace, lessons.context.settings.seed, task.id)
        calls = with_twins(found, task, lessons.context.teacher.env, reflected=self._reflected)
        predictors = dict(self.program.named_predictors())
        if self._reflected:
            return [(predictors[name], *lessons.disclosed_step(*call)) for name, call in calls.items()]
        lessons.note(task, episode, {name: call.fields for name, call in calls.items()}, taught=taught)
        return [
            (predictors[name], call.inputs, dspy.Prediction(call.outputs)) for name, call in calls.items()
        ]


def _asked(inputs: Mapping[str, Any]) -> str:
    """The key of a task: its id, or else the inputs of its example."""
    task = inputs.get("task")
    if isinstance(task, VisibleTask):
        return task.id
    return _key(inputs.inputs() if isinstance(inputs, dspy.Example) else inputs)


def _key(values: Mapping[str, Any]) -> str:
    return digest(canonical(dict(values), path))


def _default_scorers(context: CompileContext) -> tuple[Any, ...]:
    from worksmith.evals.task_kind import scorers_for

    return scorers_for(context.student.env)
