"""Strategies and optimizers as arms of one study: each is compiled, evaluated and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_digest, state_digest
from evals.records.log import EpisodeLog
from evals.records.record import PRIMARY
from evals.records.run_card import RunCard, write_card
from evals.reporting.report import evaluation_report
from evals.running.runner import EvalResult, evaluate
from evals.running.settings import EvalSettings
from evals.running.study import Arm, Row, Study, run_study
from evals.statistics import NOTHING
from evals.task_kind import scorers_for, task_kind
from evals.tracking import Dataset
from optimizers.compiling.claims import too_few_intents
from optimizers.compiling.compile import compile_program as run_plan
from optimizers.compiling.journal import discard, journal_beside
from optimizers.compiling.plan import Model, Plan
from optimizers.cost.limits import BudgetSpentError
from optimizers.settings import Settings
from programs.parts.tool_retrieval import ALL, default_toolset
from programs.strategies import strategy
from tools.seeding import digest
from worksmith import __version__
from worksmith.cli.options import say
from worksmith.jobs.budgets import admission, counted
from worksmith.jobs.cards import study_card
from worksmith.jobs.naming import slug
from worksmith.jobs.session import LOGS, compile_bar, demo_count, episode_bar, new_agent, new_log
from worksmith.jobs.tracked import keep_card, record_compile

if TYPE_CHECKING:
    from evals.running.judges import Judge
    from evals.scoring.outcomes import GroundTruth
    from evals.suite import Suite
    from evals.tasks.task import SplitScheme, Task
    from evals.tasks.task_filter import Condition
    from evals.tracking import Run
    from optimizers.cost.budget import Budget
    from programs.agent import Agent
    from programs.prompting.tool_calling import Calls

NO_OPTIMIZER = "none"


@dataclass(frozen=True)
class StudyPlan:
    """What a comparison needs to know.

    Attributes:
        suite: on whose `tasks` every arm is evaluated.
        train_suite: on whose train and dev tasks arms are compiled; may be the same.
        demos: how many demonstrations a prompt gets, in place of the settings' number; None leaves it to
            the optimizer and the model.
        models: where arms name their model, all that they name; `lm` is for arms that do not.
        judges: asked about every episode on `tasks`.
        trials: independent attempts at each task.
        resume: go on with the episode logs of the same study.
        logs: where those are kept.
        budget: of all arms together; None is no limit.
        where: what the tasks have to be that arms are compiled on.
    """

    suite: Suite
    tasks: Sequence[Task]
    split: str
    scheme: SplitScheme
    train_suite: Suite
    lm: Model
    teacher: Model
    settings: Settings
    demos: int | None
    toolset: str | None
    max_steps: int
    ground_truth: GroundTruth
    workers: int
    resume: bool
    access: str = "policy"
    calls: Calls = "auto"
    trials: int = 1
    models: tuple[Model, ...] = ()
    judges: tuple[Judge, ...] = ()
    logs: Path = LOGS
    budget: Budget | None = None
    where: tuple[Condition, ...] = ()

    def for_arm(self, arm: Arm) -> StudyPlan:
        """The plan with the arm's own model."""
        return replace(self, lm=next((m for m in self.models if m.name == arm.model), self.lm))

    @property
    def offers(self) -> str:
        """The toolset of all agents; where nobody chose one and the world has several, those by strategy."""
        if self.toolset is not None:
            return self.toolset
        offers = self.suite.env.kind.toolset_for.items()
        return "; ".join(f"{name}: {kits}" if name else kits for name, kits in offers) or ALL

    def toolset_of(self, strategy: str) -> str:
        """The toolset that a strategy is offered."""
        if self.toolset is not None:
            return self.toolset
        return default_toolset(self.suite.env, strategy, otherwise=ALL)

    @property
    def folder(self) -> Path:
        """Where this study's episodes are logged: the same plan, the same folder."""
        suites = [
            each for suite in (self.suite, self.train_suite) for each in (suite.digest, suite.env.digest)
        ]
        data = [*suites, [task.id for task in self.tasks], self.scheme]
        models = [model_digest(self.lm.lm), model_digest(self.teacher.lm)]
        data += [str(condition) for condition in self.where]
        agent = [str(self.settings), self.demos, self.offers, self.max_steps, self.access]
        agent += [self.calls] if self.calls != "auto" else []
        return self.logs / f"compare-{digest([*data, *models, *agent])}"


def study_arms(
    strategies: Sequence[str],
    optimizers: Sequence[str],
    *,
    baselines: Sequence[str],
    models: Sequence[str] = ("",),
    toolset_of: Callable[[str], str] | None = None,
) -> list[Arm]:
    """Every strategy with every optimizer on every model, and the baselines (see `baselines_for`) below.

    Args:
        models: names of the study's models; labels name them only where there are several.
        toolset_of: the toolset of a strategy, which arms say if they have not all the same.
    """
    tools = {s: {"toolset": toolset_of(s)} for s in strategies} if toolset_of else {}
    if len({name for said in tools.values() for name in said.values()}) < 2:
        tools = {}
    arms = [
        Arm(
            _label(s, o, m if len(models) > 1 else ""),
            strategy=s,
            optimizer=o,
            model=m,
            settings=tools.get(s, {}),
        )
        for m in models
        for s in strategies
        for o in optimizers
    ]
    return arms + [Arm(name, strategy=name, baseline=True) for name in baselines]


def _label(strategy: str, optimizer: str, model: str) -> str:
    made = strategy if optimizer == NO_OPTIMIZER else f"{strategy} + {optimizer}"
    return f"{made}, {model}" if model else made


def run_arms(
    plan: StudyPlan,
    arms: Sequence[Arm],
    run: Run,
    *,
    on_row: Callable[[Row], None] | None = None,
    keep: Mapping[str, Path] | None = None,
) -> Study:
    """Compile and evaluate each arm, record it below `run`, compare all with the first.

    Arms that the budget leaves unfinished are left out.

    Args:
        keep: files to write compiled programs to, by the label of their arm.
    """

    def measure(arm: Arm) -> EvalResult:
        own = plan.for_arm(arm)
        if plan.budget is not None and not arm.baseline:
            plan.budget.check()
        params = {
            "strategy": arm.strategy,
            "optimizer": arm.optimizer,
            "lm": own.lm.name,
            "split": plan.split,
            "seed": plan.settings.seed,
            **arm.settings,
            **({"without_tools": arm.without} if arm.without else {}),
        }
        with run.child(arm.label, params=params) as child:
            file = (keep or {}).get(arm.label) or program_file(plan, arm)
            program = _program(own, arm, child, file)
            card = study_card(own, arm, program, file, place=arms.index(arm))
            result = _evaluate(own, arm, program, card)
            child.dataset(
                Dataset(plan.suite.path.name, plan.suite.digest), split=plan.split, tasks=len(plan.tasks)
            )
            child.evaluation(result, split=plan.split, tasks=plan.tasks)
            keep_card(child, card)
            child.report(evaluation_report(result, title=arm.label))
            scores = result.summary.scores
            published = task_kind(plan.suite.manifest.kind).published_score
            names = filter(None, (PRIMARY, published))
            shown = {name: scores.get(name, NOTHING).value for name in names}
            run.metrics({f"{plan.split}/{name}/{slug(arm.label)}": value for name, value in shown.items()})
            return result

    return run_study(arms, measure, on_row=on_row, skips=(BudgetSpentError,))


def episodes_at_most(plan: StudyPlan, arms: Sequence[Arm]) -> dict[str, int]:
    """How many episodes the study will run, by what for; baselines ask no model and are left out."""
    agents = [arm for arm in arms if not arm.baseline]
    counts = {"test": len(agents) * len(plan.tasks) * plan.trials}
    for arm in agents:
        if arm.optimizer != NO_OPTIMIZER:
            for role, count in _compile_plan(plan.for_arm(arm), arm).max_episodes().items():
                counts[role] = counts.get(role, 0) + count
    return counts


def _program(plan: StudyPlan, arm: Arm, run: Run, file: Path) -> Any:
    if arm.baseline:
        from evals.running.baseline_program import BaselineProgram

        learnt_from = plan.train_suite.select(split="train", scheme=plan.scheme)
        return BaselineProgram(arm.strategy, plan.suite.env, learnt_from)
    if arm.optimizer == NO_OPTIMIZER:
        return _agent(plan, plan.suite, arm)
    return _compiled(plan, arm, run, file)


def program_file(plan: StudyPlan, arm: Arm) -> Path:
    """Where the compiled program of an arm is kept, unless a file is named for it."""
    return plan.folder / slug(arm.label) / "program.json"


def _agent(plan: StudyPlan, suite: Suite, arm: Arm) -> Agent:
    without = (arm.without,) if arm.without else ()
    # Native calls that are asked for are for the strategies that make such.
    calls = plan.calls if strategy(arm.strategy).calls == "native" else "auto"
    return new_agent(suite, arm.strategy, plan.toolset, plan.max_steps, plan.access, without, calls=calls)


def _compiled(plan: StudyPlan, arm: Arm, run: Run, file: Path) -> Any:
    compile_plan = _compile_plan(plan, arm)
    if not plan.resume:
        discard(compile_plan.folder)
    if said := too_few_intents(arm.optimizer, compile_plan.settings, compile_plan.context().dev):
        say(f"{arm.label}: {said}")
    with compile_bar(f"compile {arm.label}") as on_progress:
        result = run_plan(replace(compile_plan, on_progress=on_progress))
    result.artifact.write(file)
    record_compile(run, result, file, trained_on=plan.train_suite, works_in=plan.suite)
    program: Any = result.compiled.program
    program.env = plan.suite.env
    return program


def _compile_plan(plan: StudyPlan, arm: Arm) -> Plan:
    agent = _agent(plan, plan.train_suite, arm)
    return Plan(
        program=agent,
        describes=agent.config,
        suite=plan.train_suite,
        lm=plan.lm,
        teacher=plan.teacher,
        optimizer=arm.optimizer,
        # What was compiled is compared with what was not on other tasks, so nothing is tested before.
        settings=replace(
            plan.settings, demos=demo_count(plan.demos, arm.optimizer, plan.lm.name), accept="best"
        ),
        folder=journal_beside(program_file(plan, arm)),
        scheme=plan.scheme,
        where=plan.where,
        workers=plan.workers,
        resume=plan.resume,
        versions={"worksmith": __version__},
        budget=plan.budget,
    )


def _evaluate(plan: StudyPlan, arm: Arm, program: Any, card: RunCard) -> EvalResult:
    file = plan.folder / f"{slug(arm.label)}-{slug(state_digest(program))}.jsonl"
    make_room = None if plan.resume else new_log
    with (
        EpisodeLog.open(file, resume=plan.resume, make_room=make_room) as log,
        episode_bar(arm.label) as on_progress,
    ):
        write_card(file, card)
        result = evaluate(
            program,
            plan.tasks,
            EvalSettings(
                env=plan.suite.env,
                lm=counted(plan.lm.lm, plan.budget),
                workers=plan.workers,
                seed=plan.settings.seed,
                trials=plan.trials,
                scorers=scorers_for(plan.suite.env, plan.ground_truth),
                judges=plan.judges,
                strategy=arm.strategy,
                admission=None if arm.baseline else admission(plan.lm.lm, plan.budget),
            ),
            log=log,
            on_progress=on_progress,
            on_resume=lambda found: say(str(found)),
        )
    if result.unstarted and plan.budget is not None:
        plan.budget.check()
    return result
