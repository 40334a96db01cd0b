"""DSPy's optimizers that have instructions proposed from scores and from demonstrations."""

from __future__ import annotations

from typing import Any

import dspy

from evals.suite import as_examples
from optimizers.dspy_optimizers.few_shot import RandomSearch, random_search
from optimizers.dspy_optimizers.lessons import LastSteps, Lessons
from optimizers.dspy_optimizers.stock import (
    BOOTSTRAPPED,
    REDACTED,
    Proposing,
    bootstrapping,
    examples,
    proposer,
    require_optuna,
    see_taught,
    tried,
    working,
)
from optimizers.job import Compiled, Job
from tools.errors import WorksmithError

_DEPTH = 3
"""How often COPRO has further instructions proposed, the first time included; DSPy's own number."""

_MINIBATCH, _FULL_STEPS, _LARGE = 35, 5, 50
"""MIPROv2's dev tasks a trial, trials between two evaluations on all of dev, and the most dev tasks on which
every trial has them all: DSPy's own numbers."""

_RULES = 10


class COPRO(Proposing):
    """`dspy.COPRO`: instructions proposed from earlier ones and their scores on the dev tasks.

    The proposer sees instructions and scores, no task and no trajectory.
    """

    differs = (
        "breadth is --candidates and one (its own: 10), init_temperature 1.0 (its own: 1.4), and it chooses "
        "on the dev tasks (its own: on the training tasks)"
    )

    def plan(self, job: Job) -> dict[str, int]:
        """At most: every proposal on dev, and the best one again."""
        return {"dev": len(job.dev) * (_copro_evaluations(job) + 1)}

    def proposals(self, job: Job) -> int:
        """As many a predictor as there are candidates, and one more in each further round."""
        return (_DEPTH * _breadth(job) - 1) * len(job.program.predictors())

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        optimizer = _copro(job, lessons)
        with working(job, lessons):
            wrapped = optimizer.compile(LastSteps(job.program, lessons), **_on_dev(job))
        return tried(job, lessons, wrapped, "instructions")


class InferRules(Proposing):
    """`dspy.InferRules`: rules induced from the teacher's trajectories, added to the instructions."""

    differs = (
        f"num_candidates is --candidates (its own: 10), {BOOTSTRAPPED}, rules are induced from the teacher's "
        f"trajectories (its own: from raw examples) by the proposer (its own: by the teacher), {REDACTED}"
    )

    def plan(self, job: Job) -> dict[str, int]:
        """At most one teacher episode a training task; dev for each set of rules, and the best one again."""
        return {"teacher": len(job.train), "dev": len(job.dev) * (job.settings.candidates + 1)}

    def proposals(self, job: Job) -> int:
        """One for each predictor and set of rules, and again with an example less while they are too long."""
        return job.settings.candidates * len(job.program.predictors()) * job.settings.demos

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        optimizer = _Rules(job, lessons)
        with working(job, lessons):
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons), trainset=examples(job), valset=as_examples(job.dev)
            )
        return tried(job, lessons, wrapped, "rules")


class MIPROv2(Proposing):
    """`dspy.MIPROv2`: demonstration sets and proposed instructions, combined by Bayesian search on dev.

    The proposer is shown three demonstrations of a set at a time and a tip; not the training tasks'
    own texts, nor the program's source, which would be that of our wrapper. Of more dev tasks than `_LARGE`
    a trial has only some, as DSPy has it.

    Raises:
        InputError: Optuna is not installed.
    """

    differs = (
        "auto is None (its own: light), num_candidates --candidates and one, num_trials 1.5 times that, "
        f"minibatch only with more than {_LARGE} dev tasks, {BOOTSTRAPPED}, program_aware_proposer and "
        f"data_aware_proposer are off (its own: on), {REDACTED}"
    )

    def __init__(self) -> None:
        require_optuna("MIPROv2")

    def plan(self, job: Job) -> dict[str, int]:
        """At most: a bootstrap for each candidate; dev for the plain program, trials and the best again."""
        dev, trials = len(job.dev), _mipro_trials(job)
        tried = trials * _MINIBATCH + (trials // _FULL_STEPS + 2) * dev if _in_batches(job) else trials * dev
        return {"teacher": len(job.train) * job.settings.candidates, "dev": tried + 2 * dev}

    def proposals(self, job: Job) -> int:
        """One a predictor and candidate, and one for the plain program's place."""
        return (job.settings.candidates + 1) * len(job.program.predictors())

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons, settings = Lessons(job), job.settings
        with working(job, lessons):
            optimizer = _Mipro(
                **bootstrapping(job, lessons),
                prompt_model=proposer(job).lm,
                task_model=job.student.lm,
                auto=None,
                num_candidates=settings.candidates + 1,
                num_threads=job.student.workers,
                seed=settings.seed,
                track_stats=False,
            )
            optimizer.lessons = lessons
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons),
                trainset=examples(job),
                valset=as_examples(job.dev),
                num_trials=_mipro_trials(job),
                minibatch=_in_batches(job),
                minibatch_size=_MINIBATCH,
                minibatch_full_eval_steps=_FULL_STEPS,
                program_aware_proposer=False,
                data_aware_proposer=False,
            )
        return tried(job, lessons, wrapped, "proposed")


class BetterTogether(Proposing):
    """`dspy.BetterTogether`, its prompt part: demonstrations by random search, then instructions by COPRO.

    No weights are finetuned. DSPy returns what it has when a step fails; here that is an error.
    """

    differs = (
        "strategy is demos -> instructions (its own: p -> w -> p), no weights are finetuned; of the first "
        f"step {RandomSearch.differs}; of the second {COPRO.differs}"
    )

    def plan(self, job: Job) -> dict[str, int]:
        """At most: what its two steps take, and dev before, between and after them and for the best one."""
        candidates = job.settings.candidates
        return {
            "teacher": len(job.train) * (candidates + 1),
            "dev": len(job.dev) * (candidates + 2 + _copro_evaluations(job) + 4),
        }

    def proposals(self, job: Job) -> int:
        """As COPRO."""
        return COPRO().proposals(job)

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        student, teacher = (LastSteps(job.program.deepcopy(), lessons) for _ in range(2))
        student.set_lm(_shared(job.student.lm))
        steps = {
            "demos": {"restrict": [-3, -1, *range(job.settings.candidates)], "teacher": teacher},
            "instructions": _on_dev(job),
        }
        with working(job, lessons):
            optimizer = dspy.BetterTogether(
                metric=lessons.metric,
                demos=random_search(job, lessons),
                instructions=_copro(job, lessons),
            )
            wrapped = optimizer.compile(
                student,
                trainset=examples(job),
                valset=as_examples(job.dev),
                num_threads=job.student.workers,
                seed=job.settings.seed,
                strategy="demos -> instructions",
                optimizer_compile_args=steps,
            )
            if wrapped.flag_compilation_error_occurred:
                raise WorksmithError("a step of BetterTogether failed; DSPy's own log above says how")
        see_taught(lessons)
        return tried(job, lessons, wrapped, "together")


class _Rules(dspy.InferRules):  # type: ignore[misc]
    """Induces from trajectories, where DSPy's takes the raw examples, which for an agent show none.

    DSPy's also writes rules into signatures that all copies of a program share, so that the candidates, the
    best of them and the caller's own program end with the last one's; and it asks the teacher for them, who
    may follow gold plans.
    """

    def __init__(self, job: Job, lessons: Lessons) -> None:
        super().__init__(
            num_candidates=job.settings.candidates,
            num_rules=_RULES,
            num_threads=job.student.workers,
            **bootstrapping(job, lessons),
        )
        self._lessons = lessons
        self.rules_induction_program.teacher_settings = {"lm": proposer(job).lm}
        self.rules_induction_program.rng.seed(job.settings.seed)

    def get_predictor_demos(self, trainset: Any, predictor: Any) -> list[dict[str, Any]]:
        return [self._lessons.disclose(dict(demo)) for demo in predictor.demos]

    def induce_natural_language_rules(self, predictor: Any, trainset: Any) -> str:
        see_taught(self._lessons)
        return str(super().induce_natural_language_rules(predictor, trainset)) if predictor.demos else ""

    def update_program_instructions(self, predictor: Any, natural_language_rules: str) -> None:
        if natural_language_rules:
            added = f"Please adhere to the following rules:\n{natural_language_rules}"
            instructions = f"{predictor.signature.instructions}\n\n{added}"
            predictor.signature = predictor.signature.with_instructions(instructions)


class _Mipro(dspy.MIPROv2):  # type: ignore[misc]
    lessons: Lessons

    def _propose_instructions(
        self, program: Any, trainset: Any, demo_candidates: Any, *args: Any, **options: Any
    ) -> Any:
        see_taught(self.lessons)
        shown = {
            place: [[dspy.Example(**self.lessons.disclose(dict(demo))) for demo in demos] for demos in sets]
            for place, sets in demo_candidates.items()
        }
        return super()._propose_instructions(program, trainset, shown, *args, **options)


def _copro(job: Job, lessons: Lessons) -> dspy.COPRO:
    return dspy.COPRO(
        prompt_model=proposer(job).lm,
        metric=lessons.metric,
        breadth=_breadth(job),
        depth=_DEPTH,
        # The default, 1.4, is refused by some providers.
        init_temperature=1.0,
    )


def _shared(lm: dspy.LM) -> dspy.LM:
    """A model that copies of a program share: DSPy wants it in each predictor, and copies it with them."""
    twin = lm.copy()
    twin.__deepcopy__ = lambda memo: twin
    return twin


def _on_dev(job: Job) -> dict[str, Any]:
    """COPRO shows its training tasks to nobody, it only chooses by them."""
    return {"trainset": as_examples(job.dev), "eval_kwargs": {"num_threads": job.student.workers}}


def _breadth(job: Job) -> int:
    """The program's own instructions count as one."""
    return job.settings.candidates + 1


def _copro_evaluations(job: Job) -> int:
    """With several predictors earlier proposals are evaluated again in each round."""
    predictors, rounds = len(job.program.predictors()), _DEPTH
    if predictors > 1:
        rounds = _DEPTH * (_DEPTH + 1) // 2
    return predictors * rounds * _breadth(job)


def _in_batches(job: Job) -> bool:
    return len(job.dev) > _LARGE


def _mipro_trials(job: Job) -> int:
    """DSPy's own recommendation for so many candidates."""
    return max(2, 3 * (job.settings.candidates + 1) // 2)
