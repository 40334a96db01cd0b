"""DSPy's few-shot optimizers."""

from __future__ import annotations

from typing import Any

import dspy

from evals.statistics import wilson
from evals.suite import as_examples
from optimizers.dspy_optimizers.lessons import LastSteps, Lessons
from optimizers.dspy_optimizers.stock import (
    BOOTSTRAPPED,
    bootstrapping,
    examples,
    offered,
    require_optuna,
    see_taught,
    tried,
    working,
)
from optimizers.job import Compiled, Job, Trial
from optimizers.search.knn import Knn
from tools.seeding import rng


class LabeledFewShot:
    """`dspy.LabeledFewShot`: demonstrations drawn blindly, from the teacher's trajectories."""

    differs = "k is --demos (its own: 16), and it draws from trajectories in place of raw examples"

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
        with working(job, Lessons(job)):
            program = dspy.LabeledFewShot(k=job.settings.demos).compile(job.program, trainset=numbers)
        drawn: dict[int, None] = {}
        for name, predictor in program.named_predictors():
            drawn.update((demo.number, None) for demo in predictor.demos)
            examples = (shuffled[demo.number].example(name) for demo in predictor.demos)
            predictor.demos = [example for example in examples if example is not None]
        chosen = tuple(shuffled[number] for number in drawn)
        job.offer = Compiled(program, chosen, gaps=bank.report()["without"])
        trial = job.try_out("labeled", program, chosen)
        return Compiled(program, chosen, (trial,), trial.name, bank.report()["without"])


class BootstrapFewShot:
    """`dspy.BootstrapFewShot`: the first successes of the teacher, one training task after another."""

    differs = BOOTSTRAPPED

    def plan(self, job: Job) -> dict[str, int]:
        """At most one teacher episode a training task, one student episode a dev task."""
        return {"teacher": len(job.train), "dev": len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        optimizer = dspy.BootstrapFewShot(**bootstrapping(job, lessons))
        with working(job, lessons):
            wrapped = optimizer.compile(LastSteps(job.program, lessons), trainset=examples(job))
            offered(job, lessons, wrapped)
        see_taught(lessons)
        return tried(job, lessons, wrapped, "bootstrap")


class RandomSearch:
    """`dspy.BootstrapFewShotWithRandomSearch`: several bootstraps of shuffled tasks meet on the dev tasks."""

    differs = (
        f"num_candidate_programs is --candidates (its own: 16), {BOOTSTRAPPED}, restrict leaves out the "
        "candidate of raw examples alone"
    )

    def plan(self, job: Job) -> dict[str, int]:
        """At most: a bootstrap in order and one for each candidate; these and the plain program on dev."""
        candidates = job.settings.candidates
        return {"teacher": len(job.train) * (candidates + 1), "dev": len(job.dev) * (candidates + 2)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        candidates = job.settings.candidates
        with working(job, lessons):
            optimizer = random_search(job, lessons)
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons),
                trainset=examples(job),
                valset=as_examples(job.dev),
                # Number -2 would be raw examples alone.
                restrict=[-3, -1, *range(candidates)],
            )
        found = sorted(wrapped.candidate_programs, key=lambda candidate: candidate["seed"])
        see_taught(lessons)
        trials = tuple(_trial(candidate, lessons) for candidate in found)
        best = next(c for c in found if c["program"] is wrapped)
        return Compiled(wrapped.program, lessons.shown_by(wrapped.program), trials, _name(best), lessons.gaps)


class Optuna:
    """`dspy.BootstrapFewShotWithOptuna`: one bootstrap, then one demonstration a predictor, sought on dev.

    As published, a trial shows each predictor a single demonstration. The sampler is seeded, which DSPy's own
    is not.

    Raises:
        InputError: Optuna is not installed.
    """

    differs = (
        f"num_candidate_programs is --candidates (its own: 16), {BOOTSTRAPPED}, the sampler is seeded (its "
        "own is not)"
    )

    def __init__(self) -> None:
        require_optuna("BootstrapFewShotWithOptuna")

    def plan(self, job: Job) -> dict[str, int]:
        """At most one teacher episode a training task; dev for each trial, and for the best one again."""
        return {"teacher": len(job.train), "dev": len(job.dev) * (job.settings.candidates + 1)}

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        import optuna

        lessons = Lessons(job)
        bootstrap = dspy.BootstrapFewShot(**bootstrapping(job, lessons))
        with working(job, lessons):
            search = dspy.BootstrapFewShotWithOptuna(metric=lessons.metric, num_threads=job.student.workers)
            student = LastSteps(job.program, lessons)
            found = bootstrap.compile(student, trainset=examples(job))
            see_taught(lessons)
            if not all(predictor.demos for predictor in found.predictors()):
                # There is nothing to choose from for at least one predictor.
                return tried(job, lessons, found, "bootstrap")
            search.student, search.compiled_teleprompter = student, found
            search.valset = as_examples(job.dev)
            study = optuna.create_study(
                direction="maximize", sampler=optuna.samplers.TPESampler(seed=job.settings.seed)
            )
            study.optimize(search.objective, n_trials=job.settings.candidates)
        return tried(job, lessons, study.best_trial.user_attrs["program"], f"trial-{study.best_trial.number}")


class Nearest(Knn):
    """`dspy.KNNFewShot`: each task is shown the demonstrations nearest to it.

    DSPy's own bootstraps anew at every inference, which runs a teacher's episodes with all they do to the
    world each time the compiled program is used, and saves a program without demonstrations. This is `knn`
    instead: the same choice from a bank that was collected once and is saved with the program.
    """

    differs = "the bank is collected once and not at each inference"


def random_search(job: Job, lessons: Lessons) -> dspy.BootstrapFewShotWithRandomSearch:
    """DSPy's random search as this job wants it."""
    return dspy.BootstrapFewShotWithRandomSearch(
        **bootstrapping(job, lessons),
        num_candidate_programs=job.settings.candidates,
        num_threads=job.student.workers,
    )


def _trial(candidate: dict[str, Any], lessons: Lessons) -> Trial:
    program = candidate["program"].program
    scores = [float(score) for score in candidate["subscores"]]
    score = wilson(sum(scores), len(scores))
    return Trial(
        name=_name(candidate),
        program=lessons.digest(program),
        demonstrations=tuple(d.task_id for d in lessons.shown_by(program)),
        score=score,
        strict=score,
        errors=0,
    )


def _name(candidate: dict[str, Any]) -> str:
    seed = candidate["seed"]
    return {-3: "uncompiled", -1: "in-order"}.get(seed, f"shuffled-{seed}")
