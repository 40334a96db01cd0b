"""DSPy's optimizers of instructions: COPRO, InferRules, MIPROv2, and BetterTogether."""

from __future__ import annotations

from typing import Any

import dspy

from worksmith.evals.suite import as_examples
from worksmith.optimizers.dspy_optimizers.few_shot import RandomSearch, random_search, searched_seeds
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import (
    BOOTSTRAPPED,
    REDACTED,
    DspyOptimizer,
    Optimized,
    bootstrapping,
    check_taught,
    examples,
    proposer_lm,
    require_optuna,
)
from worksmith.optimizers.optimizer import CompileContext
from worksmith.tools.errors import WorksmithError

_DEPTH = 3
"""Rounds of proposals in COPRO; DSPy's own number."""

_MINIBATCH = 35
"""Dev tasks of a MIPROv2 trial on a large dev split; DSPy's own number."""

_FULL_STEPS = 5
"""MIPROv2 trials between two evaluations on all of dev; DSPy's own number."""

_LARGE = 50
"""Dev tasks above which MIPROv2 gives a trial only `_MINIBATCH` of them; DSPy's own number."""

_RULES = 10
"""Rules that InferRules asks for; DSPy's own number."""


class COPRO(DspyOptimizer):
    """`dspy.COPRO`: instructions proposed from earlier ones and their scores on the dev tasks.

    The proposer sees instructions and scores, no task and no trajectory.
    """

    name = "dspy:COPRO"
    proposes = best_on_dev = True
    differs = (
        "breadth is --candidates and one (its own: 10), init_temperature 1.0 (its own: 1.4), and it chooses "
        "on the dev tasks (its own: on the training tasks)"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes: every proposal on dev, and the best one again."""
        return {"dev": len(context.dev) * (_copro_evaluations(context) + 1)}

    def max_proposals(self, context: CompileContext) -> int:
        """The most proposals: one for each predictor and candidate, and one more in each further round."""
        return (_DEPTH * _breadth(context) - 1) * len(context.program.predictors())

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        student = Sampled(context.program, lessons)
        return Optimized(_copro(context, lessons).compile(student, **_on_dev(context)), "instructions")


class InferRules(DspyOptimizer):
    """`dspy.InferRules`: rules induced from the teacher's trajectories, added to the instructions."""

    name = "dspy:InferRules"
    proposes = best_on_dev = True
    differs = (
        f"num_candidates is --candidates (its own: 10), {BOOTSTRAPPED}, rules are induced from the teacher's "
        f"trajectories (its own: from raw examples) by the proposer (its own: by the teacher), {REDACTED}"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes: the teacher's on train; on dev each set of rules, and the best one again."""
        return {"teacher": len(context.train), "dev": len(context.dev) * (context.settings.candidates + 1)}

    def max_proposals(self, context: CompileContext) -> int:
        """The most proposals: one for each predictor and set of rules, more while a prompt is too long."""
        settings = context.settings
        return settings.candidates * len(context.program.predictors()) * settings.demos

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        wrapped = _Rules(context, lessons).compile(
            Sampled(context.program, lessons), trainset=examples(context), valset=as_examples(context.dev)
        )
        return Optimized(wrapped, "rules")


class MIPROv2(DspyOptimizer):
    """`dspy.MIPROv2`: demonstration sets and proposed instructions, combined by Bayesian search on dev.

    The proposer sees three demonstrations of a set at a time and a tip. It does not see the training tasks'
    own texts, nor the program's source, which would be that of worksmith's wrapper. On more than `_LARGE` dev
    tasks a trial runs only some of them, as in DSPy.

    Raises:
        InputError: Optuna is not installed.
    """

    name = "dspy:MIPROv2"
    proposes = best_on_dev = True
    differs = (
        "auto is None (its own: light), num_candidates --candidates and one, num_trials 1.5 times that, "
        f"minibatch only with more than {_LARGE} dev tasks, {BOOTSTRAPPED}, program_aware_proposer and "
        f"data_aware_proposer are off (its own: on), {REDACTED}"
    )

    def require(self) -> None:
        require_optuna("MIPROv2")

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes: a bootstrap for each candidate; on dev the plain program and trials."""
        dev, trials = len(context.dev), _mipro_trials(context)
        searched = trials * dev
        if dev > _LARGE:
            searched = trials * _MINIBATCH + (trials // _FULL_STEPS + 2) * dev
        return {"teacher": len(context.train) * context.settings.candidates, "dev": searched + 2 * dev}

    def max_proposals(self, context: CompileContext) -> int:
        """The most proposals: for each predictor one for each candidate and one for the plain program."""
        return (context.settings.candidates + 1) * len(context.program.predictors())

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        settings = context.settings
        optimizer = _Mipro(
            lessons,
            **bootstrapping(context, lessons),
            prompt_model=proposer_lm(context),
            task_model=context.student.lm,
            auto=None,
            num_candidates=settings.candidates + 1,
            num_threads=context.student.workers,
            seed=settings.seed,
            track_stats=False,
        )
        wrapped = optimizer.compile(
            Sampled(context.program, lessons),
            trainset=examples(context),
            valset=as_examples(context.dev),
            num_trials=_mipro_trials(context),
            minibatch=len(context.dev) > _LARGE,
            minibatch_size=_MINIBATCH,
            minibatch_full_eval_steps=_FULL_STEPS,
            program_aware_proposer=False,
            data_aware_proposer=False,
        )
        return Optimized(wrapped, "proposed")


class PromptsTogether(DspyOptimizer):
    """`dspy.BetterTogether`, its prompt part: demonstrations by random search, then instructions by COPRO.

    No weights are finetuned. DSPy returns an unfinished program when a step fails; here that is an error.
    """

    name = "dspy:BetterTogether"
    proposes = best_on_dev = bootstraps = True
    differs = (
        "strategy is demos -> instructions (its own: p -> w -> p), no weights are finetuned; of the first "
        f"step {RandomSearch.differs}; of the second {COPRO.differs}"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes: those of its two steps, and dev before, between and after them."""
        candidates = context.settings.candidates
        return {
            "teacher": len(context.train) * (candidates + 1),
            "dev": len(context.dev) * (candidates + 2 + _copro_evaluations(context) + 4),
        }

    def max_proposals(self, context: CompileContext) -> int:
        return COPRO().max_proposals(context)

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        wrapped = better_together(
            context,
            lessons,
            _shared(context.student.lm),
            strategy="demos -> instructions",
            optimizers={"instructions": _copro(context, lessons)},
            arguments={"instructions": _on_dev(context)},
        )
        return Optimized(wrapped, "together")


def better_together(
    context: CompileContext,
    lessons: Lessons,
    lm: Any,
    *,
    strategy: str,
    optimizers: dict[str, dspy.Teleprompter],
    arguments: dict[str, dict[str, Any]],
) -> dspy.Module:
    """The program that `dspy.BetterTogether` makes, with a random search for the demonstrations.

    Args:
        lm: the model of the student.
        optimizers: those of the other steps, by their name in the strategy.
        arguments: those of their `compile`, but for the student and the examples.

    Raises:
        WorksmithError: a step failed.
    """
    student, teacher = (Sampled(context.program.deepcopy(), lessons) for _ in range(2))
    student.set_lm(lm)
    optimizer = dspy.BetterTogether(
        metric=lessons.metric, demos=random_search(context, lessons), **optimizers
    )
    wrapped = optimizer.compile(
        student,
        trainset=examples(context),
        valset=as_examples(context.dev),
        num_threads=context.student.workers,
        seed=context.settings.seed,
        strategy=strategy,
        optimizer_compile_args={
            "demos": {"restrict": searched_seeds(context), "teacher": teacher},
            **arguments,
        },
    )
    if wrapped.flag_compilation_error_occurred:
        raise WorksmithError("a step of BetterTogether failed; DSPy's own log above says how")
    return wrapped


class _Rules(dspy.InferRules):  # type: ignore[misc]
    """Induces rules from trajectories.

    DSPy's own class differs in three ways. It induces from the raw examples, which for an agent hold no
    trajectory. It writes rules into signatures that all copies of a program share, so that all of them end
    with the last candidate's rules. It asks the teacher for rules, which may be no language model.
    """

    def __init__(self, context: CompileContext, lessons: Lessons) -> None:
        super().__init__(
            num_candidates=context.settings.candidates,
            num_rules=_RULES,
            num_threads=context.student.workers,
            **bootstrapping(context, lessons),
        )
        self._lessons = lessons
        self.rules_induction_program.teacher_settings = {"lm": proposer_lm(context)}
        self.rules_induction_program.rng.seed(context.settings.seed)

    def get_predictor_demos(self, trainset: Any, predictor: Any) -> list[dict[str, Any]]:
        return [self._lessons.disclose(dict(demo)) for demo in predictor.demos]

    def induce_natural_language_rules(self, predictor: Any, trainset: Any) -> str:
        check_taught(self._lessons)
        return str(super().induce_natural_language_rules(predictor, trainset)) if predictor.demos else ""

    def update_program_instructions(self, predictor: Any, natural_language_rules: str) -> None:
        if natural_language_rules:
            added = f"Please adhere to the following rules:\n{natural_language_rules}"
            instructions = f"{predictor.signature.instructions}\n\n{added}"
            predictor.signature = predictor.signature.with_instructions(instructions)


class _Mipro(dspy.MIPROv2):  # type: ignore[misc]
    def __init__(self, lessons: Lessons, **options: Any) -> None:
        super().__init__(**options)
        self._lessons = lessons

    def _propose_instructions(
        self, program: Any, trainset: Any, demo_candidates: Any, *args: Any, **options: Any
    ) -> Any:
        check_taught(self._lessons)
        shown = {
            place: [[dspy.Example(**self._lessons.disclose(dict(demo))) for demo in demos] for demos in sets]
            for place, sets in demo_candidates.items()
        }
        return super()._propose_instructions(program, trainset, shown, *args, **options)


def _copro(context: CompileContext, lessons: Lessons) -> dspy.COPRO:
    return dspy.COPRO(
        prompt_model=proposer_lm(context),
        metric=lessons.metric,
        breadth=_breadth(context),
        depth=_DEPTH,
        # The default, 1.4, is refused by some providers.
        init_temperature=1.0,
    )


def _shared(lm: dspy.LM) -> dspy.LM:
    """A model that copies of a program share, although DSPy copies each predictor with its model."""
    twin = lm.copy()
    twin.__deepcopy__ = lambda memo: twin
    return twin


def _on_dev(context: CompileContext) -> dict[str, Any]:
    """COPRO's arguments, with dev as its training tasks: it only chooses by them, and does not show them."""
    return {"trainset": as_examples(context.dev), "eval_kwargs": {"num_threads": context.student.workers}}


def _breadth(context: CompileContext) -> int:
    """COPRO's breadth: the candidates, and one for the program's own instructions."""
    return context.settings.candidates + 1


def _copro_evaluations(context: CompileContext) -> int:
    """The number of evaluations; with several predictors earlier proposals run again in each round."""
    predictors = len(context.program.predictors())
    rounds = _DEPTH * (_DEPTH + 1) // 2 if predictors > 1 else _DEPTH
    return predictors * rounds * _breadth(context)


def _mipro_trials(context: CompileContext) -> int:
    return max(2, 3 * (context.settings.candidates + 1) // 2)
