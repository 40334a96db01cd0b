"""DSPy's few-shot optimizers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dspy

from worksmith.evals.dspy_programs.digests import program_digest
from worksmith.evals.dspy_programs.own_models import give_models
from worksmith.evals.suite import as_examples
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import (
    BOOTSTRAPPED,
    DspyOptimizer,
    Optimized,
    bootstrapping,
    check_taught,
    examples,
    require_optuna,
    without_measuring,
    working,
)
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.search.few_shot import KNN
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.optimizers.trial import Trial
from worksmith.tools.seeding import rng


class LabeledFewShot(Teleprompter):
    """`dspy.LabeledFewShot`: demonstrations drawn blindly from examples or trajectories."""

    name = "dspy:LabeledFewShot"
    takes_bank = labels = True
    differs = "k is --demos (its own: 16), and of a suite it draws trajectories in place of raw examples"

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"teacher": len(context.train), "dev": len(context.dev)}

    def search(self, context: CompileContext) -> Compiled:
        shuffled = list(context.bank().demonstrations)
        rng(context.settings.seed, "dspy").shuffle(shuffled)
        # DSPy draws from numbers; each predictor then gets its own part of the demonstration at that place.
        numbers = [dspy.Example(number=number) for number in range(len(shuffled))]
        with working(context, Lessons(context)):
            program = dspy.LabeledFewShot(k=context.settings.demos).compile(context.program, trainset=numbers)
        give_models(program, context.program)
        drawn: dict[int, None] = {}
        for name, predictor in program.named_predictors():
            drawn.update((demo.number, None) for demo in predictor.demos)
            shown = (shuffled[demo.number].example(name) for demo in predictor.demos)
            predictor.demos = [example for example in shown if example is not None]
        chosen = tuple(shuffled[number] for number in drawn)
        return context.taken("labeled", Compiled(program, chosen, gaps=context.reasons))


class BootstrapFewShot(DspyOptimizer):
    """`dspy.BootstrapFewShot`: the first successes of the teacher, one training task after another."""

    name = "dspy:BootstrapFewShot"
    bootstraps = True
    differs = BOOTSTRAPPED

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"teacher": len(context.train), "dev": len(context.dev)}

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        optimizer = dspy.BootstrapFewShot(**bootstrapping(context, lessons))
        wrapped = optimizer.compile(Sampled(context.program, lessons), trainset=examples(context))
        context.fall_back_to(without_measuring(lessons, wrapped))
        return Optimized(wrapped, "bootstrap")


class RandomSearch(Teleprompter):
    """`dspy.BootstrapFewShotWithRandomSearch`: several bootstraps of shuffled tasks meet on the dev tasks."""

    name = "dspy:BootstrapFewShotWithRandomSearch"
    best_on_dev = True
    logged = False
    differs = (
        f"num_candidate_programs is --candidates (its own: 16), {BOOTSTRAPPED}, restrict leaves out the "
        "candidate of raw examples alone"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most: a bootstrap in order and one for each candidate; these and the plain program on dev."""
        candidates = context.settings.candidates
        return {"teacher": len(context.train) * (candidates + 1), "dev": len(context.dev) * (candidates + 2)}

    def search(self, context: CompileContext) -> Compiled:
        lessons = Lessons(context)
        with working(context, lessons):
            wrapped = random_search(context, lessons).compile(
                Sampled(context.program, lessons),
                trainset=examples(context),
                valset=as_examples(context.dev),
                restrict=searched_seeds(context),
            )
        found = sorted(wrapped.candidate_programs, key=lambda candidate: candidate["seed"])
        check_taught(lessons)
        trials = tuple(_trial(candidate, lessons) for candidate in found)
        best = next(candidate for candidate in found if candidate["program"] is wrapped)
        shown = lessons.shown_by(wrapped.program)
        return Compiled(wrapped.program, shown, trials, _name(best), lessons.gaps)


class Optuna(DspyOptimizer):
    """`dspy.BootstrapFewShotWithOptuna`: one bootstrap, then one demonstration a predictor, sought on dev.

    As published, a trial shows each predictor a single demonstration. The sampler is seeded, which DSPy's own
    is not.

    Raises:
        InputError: Optuna is not installed.
    """

    name = "dspy:BootstrapFewShotWithOptuna"
    best_on_dev = True
    differs = (
        f"num_candidate_programs is --candidates (its own: 16), {BOOTSTRAPPED}, the sampler is seeded (its "
        "own is not)"
    )

    def require(self) -> None:
        require_optuna("BootstrapFewShotWithOptuna")

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most one teacher episode a training task; dev for each trial, and for the best one again."""
        return {"teacher": len(context.train), "dev": len(context.dev) * (context.settings.candidates + 1)}

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        import optuna

        bootstrap = dspy.BootstrapFewShot(**bootstrapping(context, lessons))
        search = dspy.BootstrapFewShotWithOptuna(metric=lessons.metric, num_threads=context.student.workers)
        student = Sampled(context.program, lessons)
        found = bootstrap.compile(student, trainset=examples(context))
        check_taught(lessons)
        if not all(predictor.demos for predictor in found.predictors()):
            # There is nothing to choose from for at least one predictor.
            return Optimized(found, "bootstrap")
        # DSPy's `compile` sets these and makes a study without a seed.
        search.student, search.compiled_teleprompter = student, found
        search.valset = as_examples(context.dev)
        sampler = optuna.samplers.TPESampler(seed=context.settings.seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.optimize(search.objective, n_trials=context.settings.candidates)
        return Optimized(study.best_trial.user_attrs["program"], f"trial-{study.best_trial.number}")


class KNNFewShot(KNN):
    """`dspy.KNNFewShot`: each task is shown the demonstrations nearest to it.

    DSPy's own bootstraps again at every inference, which runs a teacher's episodes with all they do to the
    world each time the compiled program is used, and saves a program without demonstrations. This is the same
    choice from a bank that was collected once and is saved with the program.
    """

    name = "dspy:KNNFewShot"
    differs = "the bank is collected once and not at each inference"

    def settled(self, settings: Settings) -> Settings:
        return super().settled(replace(settings, accept="best"))


_PLAIN, _IN_ORDER = -3, -1
"""DSPy's seeds for the program as it is and for tasks that are not shuffled; -2 is raw examples alone."""


def searched_seeds(context: CompileContext) -> list[int]:
    """The candidates of DSPy's random search, by the seeds of their shuffles."""
    return [_PLAIN, _IN_ORDER, *range(context.settings.candidates)]


def random_search(context: CompileContext, lessons: Lessons) -> dspy.BootstrapFewShotWithRandomSearch:
    return dspy.BootstrapFewShotWithRandomSearch(
        **bootstrapping(context, lessons),
        num_candidate_programs=context.settings.candidates,
        num_threads=context.student.workers,
    )


def _trial(candidate: dict[str, Any], lessons: Lessons) -> Trial:
    program = candidate["program"].program
    outcomes = [float(score) for score in candidate["subscores"]]
    return Trial.of_outcomes(_name(candidate), program_digest(program), lessons.shown_by(program), outcomes)


def _name(candidate: dict[str, Any]) -> str:
    seed = candidate["seed"]
    return {_PLAIN: INCUMBENT, _IN_ORDER: "in-order"}.get(seed, f"shuffled-{seed}")
