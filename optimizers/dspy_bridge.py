"""DSPy's own few-shot optimizers on the same program, tasks and score.

What they do that does not suit agents is kept from doing harm here:

* they take any truthy score as success and ignore a threshold of 0, so the metric answers yes or no;
* they fill up with raw training examples, which for an agent show no trajectory but do hold the task's
  expected calls, so that is switched off; labeled demonstrations are the teacher's trajectories;
* of a predictor called several times they may keep any step, so only the last is left in the trace;
* they swallow the teacher's exceptions, so those are counted and named;
* they draw with seeds of their own, so the order of the training tasks is drawn from ours;
* the random search would choose by what it learned from, so it is given the dev tasks;
* they print to stdout, which belongs to results.

What stays: their own episodes are in no log, so a killed compile starts them again; and an evaluation of
the random search runs an episode that takes over two minutes a second time, which costs but, since every
episode starts from the same state, changes nothing.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import dspy

from evals.statistics import wilson
from optimizers.demonstration import same_text
from optimizers.job import Compiled, Job, Trial
from optimizers.lessons import LastSteps, Lessons
from tools.seeding import rng

if TYPE_CHECKING:
    from evals.task import Task


class LabeledFewShot:
    """`dspy.LabeledFewShot`: demonstrations drawn blindly, from the teacher's trajectories."""

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task, one student episode a dev task."""
        return {"teacher": len(job.train), "dev": len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        bank = job.bank()
        shuffled = list(bank.demonstrations)
        rng(job.settings.seed, "dspy").shuffle(shuffled)
        # DSPy draws from numbers, and each predictor is then given its own part of what they stand for.
        numbers = [dspy.Example(number=number) for number in range(len(shuffled))]
        with _stdout_to_stderr():
            program = dspy.LabeledFewShot(k=job.settings.demos).compile(job.program, trainset=numbers)
        drawn: dict[int, None] = {}
        for name, predictor in program.named_predictors():
            drawn.update((demo.number, None) for demo in predictor.demos)
            examples = (shuffled[demo.number].example(name) for demo in predictor.demos)
            predictor.demos = [example for example in examples if example is not None]
        chosen = tuple(shuffled[number] for number in drawn)
        trial = job.try_out("labeled", program, chosen)
        return Compiled(program, chosen, (trial,), trial.name, bank.report()["without"])


class BootstrapFewShot:
    """`dspy.BootstrapFewShot`: the first successes of the teacher, one training task after another."""

    def plan(self, job: Job) -> dict[str, int]:
        """At most one teacher episode a training task, one student episode a dev task."""
        return {"teacher": len(job.train), "dev": len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        optimizer = dspy.BootstrapFewShot(
            metric=lessons.metric,
            metric_threshold=1.0,
            teacher_settings={"lm": job.teacher.lm},
            max_bootstrapped_demos=job.settings.demos,
            max_labeled_demos=0,
            max_errors=len(job.train) + 1,
        )
        with _stdout_to_stderr(), dspy.context(lm=job.student.lm):
            wrapped = optimizer.compile(LastSteps(job.program, lessons), trainset=_examples(job))
        chosen = lessons.shown_by(wrapped.program)
        trial = job.try_out("bootstrap", wrapped.program, chosen)
        return Compiled(wrapped.program, chosen, (trial,), trial.name, lessons.gaps)


class RandomSearch:
    """`dspy.BootstrapFewShotWithRandomSearch`: several bootstraps of shuffled tasks meet on the dev tasks."""

    def plan(self, job: Job) -> dict[str, int]:
        """At most: a bootstrap in order and one for each candidate; these and the plain program on dev."""
        candidates = job.settings.candidates
        return {"teacher": len(job.train) * (candidates + 1), "dev": len(job.dev) * (candidates + 2)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        candidates = job.settings.candidates
        with _stdout_to_stderr(), dspy.context(lm=job.student.lm):
            optimizer = dspy.BootstrapFewShotWithRandomSearch(
                metric=lessons.metric,
                metric_threshold=1.0,
                teacher_settings={"lm": job.teacher.lm},
                max_bootstrapped_demos=job.settings.demos,
                max_labeled_demos=0,
                num_candidate_programs=candidates,
                num_threads=job.student.workers,
                max_errors=(len(job.train) + len(job.dev)) * (candidates + 2),
            )
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons),
                trainset=_examples(job),
                valset=[_example(task) for task in job.dev],
                # Number -2 would be raw examples alone.
                restrict=[-3, -1, *range(candidates)],
            )
        found = sorted(wrapped.candidate_programs, key=lambda candidate: candidate["seed"])
        trials = tuple(_trial(candidate, lessons) for candidate in found)
        best = next(c for c in found if c["program"] is wrapped)
        return Compiled(wrapped.program, lessons.shown_by(wrapped.program), trials, _name(best), lessons.gaps)


def _trial(candidate: dict[str, Any], lessons: Lessons) -> Trial:
    program = candidate["program"].program
    scores = [float(score) for score in candidate["subscores"]]
    return Trial(
        name=_name(candidate),
        program=lessons.digest(program),
        demonstrations=tuple(d.task_id for d in lessons.shown_by(program)),
        score=wilson(sum(scores), len(scores)),
        errors=0,
    )


def _name(candidate: dict[str, Any]) -> str:
    seed = candidate["seed"]
    return {-3: "uncompiled", -1: "in-order"}.get(seed, f"shuffled-{seed}")


def _examples(job: Job) -> list[dspy.Example]:
    """The training tasks in an order drawn from the seed, less those that ask what a task held back asks."""
    texts = {same_text(task.query) for task in job.held_back}
    tasks = [task for task in job.train if same_text(task.query) not in texts]
    rng(job.settings.seed, "dspy").shuffle(tasks)
    return [_example(task) for task in tasks]


def _example(task: Task) -> dspy.Example:
    return dspy.Example(task=task).with_inputs("task")


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    with contextlib.redirect_stdout(sys.stderr):
        yield
