"""A comparison as arms of one study: each program is compiled, measured and recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.dspy_programs.own_models import check_models
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.running.baseline_program import BaselineProgram
from worksmith.evals.running.study import StudyArm
from worksmith.evals.scoring.constraints import constraints
from worksmith.evals.suite import Suite
from worksmith.jobs.comparing.study_plan import StudyPlan
from worksmith.jobs.compiling.compilation import compiled
from worksmith.jobs.compiling.compile_plan import describe_compile, with_planner
from worksmith.jobs.measuring.measurement import Measurement
from worksmith.jobs.measuring.metric import check_scores
from worksmith.jobs.opening.arms import NO_OPTIMIZER, ablated, models_of_agents, strategies_for, study_arms
from worksmith.jobs.opening.named_judges import asked_models
from worksmith.jobs.opening.programs import (
    OpenedProgram,
    give_planner,
    named_agent,
    named_program,
    new_agent,
)
from worksmith.jobs.opening.suites import open_train_suite, teacher_name
from worksmith.jobs.recording.tracking import keep_program, slug
from worksmith.jobs.settings.compiling import CompileSettings
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.claims import too_few_intents
from worksmith.optimizers.compiling.journal import discard
from worksmith.optimizers.compiling.models import Model, proposing_model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.trials import record_trials
from worksmith.optimizers.registry import optimizer_class
from worksmith.programs.agent import Agent
from worksmith.programs.parts.tool_retrieval import ALL
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.evals.tracking import Run
    from worksmith.jobs.settings.programs import CompareSettings

_FOLDER_SETTINGS = {
    "scheme",
    "where",
    "demos",
    "candidates",
    "constraint",
    "seed",
    "max_steps",
    "access",
    "prompt",
}
"""Settings on which the episodes in the logs and journals of an arm depend."""


@dataclass(frozen=True, kw_only=True)
class ComparePlan(StudyPlan):
    """A comparison of strategies and optimizers, whose programs are compiled on the way.

    A file that is set beforehand in `programs` is the one that the compiled program is written to.

    Attributes:
        train_suite: the suite whose train and dev tasks arms are compiled on; may be the suite compared on.
        models: the models by name.
        planners: the models that plan, by name.
    """

    settings: CompareSettings
    train_suite: Suite
    models: Mapping[str, Model]
    planners: Mapping[str, Model]
    teacher: Model

    @property
    def toolset(self) -> str:
        """The toolset of all agents; without a choice in a world with several, those by strategy."""
        if self.settings.toolset is not None:
            return self.settings.toolset
        offers = self.measurement.suite.env.kind.toolset_for.items()
        return "; ".join(f"{name}: {kits}" if name else kits for name, kits in offers) or ALL

    @property
    def asked(self) -> list[Model]:
        return [*self.models.values(), *self.planners.values(), self.teacher]

    @property
    def folders(self) -> list[Path]:
        return [self.folder(model) for model in self.models.values()]

    def described(self) -> dict[str, Any]:
        return self.measurement.described(
            train_suite=self.train_suite.path.name,
            tasks=len(self.measurement.tasks),
            lm=",".join(self.models),
            teacher=self.teacher.name,
            toolset=self.toolset,
        )

    def to_json(self) -> dict[str, Any]:
        measured = self.measurement
        agents = [arm for arm in self.arms if not arm.baseline]
        of_each = len(measured.tasks) * self.settings.trials
        episodes = {"test": len(agents) * of_each}
        for arm in agents:
            if arm.optimizer != NO_OPTIMIZER:
                for role, count in self._compile_plan(arm).max_episodes().items():
                    episodes[role] = episodes.get(role, 0) + count
        own = [arm.label for arm in agents if "agent" in arm.settings]
        limited = sum(episodes.values()) - len(own) * of_each
        judged = len(self.arms) * of_each * asked_models(measured.judges)
        return {
            "arms": [arm.label for arm in self.arms],
            "tasks": len(measured.tasks),
            "episodes_at_most": episodes,
            # A planner's call comes on top of one for each step.
            "model_calls_at_most": limited * (self.settings.max_steps + 1),
            **({"without_calls_of": own} if own else {}),
            **({"judge_calls": judged} if measured.judges else {}),
        }

    def print(self, console: Console) -> None:
        for name, value in self.to_json().items():
            shown = [f"{k} {v}" for k, v in value.items()] if isinstance(value, dict) else value
            text = "; ".join(shown) if isinstance(shown, list) else shown
            console.out(f"{name.replace('_', ' ')}: {text}", highlight=False)

    def program(self, arm: StudyArm, tracked: Run, above: Run) -> OpenedProgram:
        suite = self.measurement.suite
        if arm.baseline:
            learnt_from = self.train_suite.select(split="train", scheme=self.settings.scheme)
            return OpenedProgram(BaselineProgram(arm.strategy, suite.env, learnt_from))
        if arm.optimizer == NO_OPTIMIZER:
            if "agent" in arm.settings:
                return named_agent(suite, self.settings, arm.settings["agent"])
            if "program" in arm.settings:
                return named_program(arm.settings["program"], suite.env)
            agent = new_agent(suite, self._compile_settings(arm), arm.strategy, without=arm.left_out)
            if arm.planner:
                give_planner(agent, self.planners[arm.planner].lm)
            return OpenedProgram(agent)
        return self._compiled(arm, tracked, above)

    def _compiled(self, arm: StudyArm, tracked: Run, above: Run) -> OpenedProgram:
        plan, progress = self._compile_plan(arm), self.measurement.progress
        if not self.settings.resume:
            discard(plan.folder)
        if said := too_few_intents(plan.optimizer, plan.context().dev):
            progress.say(f"{arm.label}: {said}")
        result = compiled(plan, f"compile {arm.label}", progress)
        file = self.programs.get(arm.label, self._file(arm))
        result.artifact.write(file)
        works_in = self.measurement.suite
        # The figures of the arm are on other tasks than those of its compile.
        with above.child(f"compile {arm.label}") as run:
            record_trials(run, result.artifact, self.train_suite)
        keep_program(tracked, result, file, works_in=works_in)
        program: Any = result.compiled.program
        if isinstance(program, Agent):
            program.env = works_in.env
        return OpenedProgram(program, result.artifact.manifest.tried, file)

    def _compile_settings(self, arm: StudyArm) -> CompileSettings:
        """The settings of an arm's compile.

        A compiled program is compared with the one as it is on other tasks, so it is not tested before.
        """
        named = arm.settings.get("program")
        return self.settings.adapted(
            CompileSettings,
            suite=self.train_suite.path,
            out=self._file(arm),
            program=named,
            **({} if named else {"strategy": arm.strategy}),
            optimizer=arm.optimizer,
            lm=self.model(arm).name,
            planner_lm=arm.planner or None,
            **({"prompt": None} if named else {}),
            accept="best",
        )

    def _compile_plan(self, arm: StudyArm) -> Plan:
        settings = self._compile_settings(arm)
        models = (self.model(arm), self.teacher)
        plan = describe_compile(settings, self.train_suite, *models, without=arm.left_out)
        plan = with_planner(plan, self.planners.get(arm.planner))
        return replace(plan, budget=self.measurement.budget, engine=self.measurement.engine)

    def model(self, arm: StudyArm) -> Model:
        return self.models.get(arm.model) or next(iter(self.models.values()))

    def _file(self, arm: StudyArm) -> Path:
        """The file of an arm's compiled program, unless another was set."""
        return self.folder(self.model(arm)) / slug(arm.label) / "program.json"

    def folder(self, model: Model) -> Path:
        suites = (self.measurement.suite, self.train_suite)
        data: list[Any] = [each for suite in suites for each in (suite.digest, suite.env.digest)]
        data += [[task.digest for task in self.measurement.tasks], self.toolset]
        data += [model_digest(model.lm), model_digest(self.teacher.lm)]
        data.append(self.settings.model_dump(mode="json", include=_FOLDER_SETTINGS))
        return self.logs / f"compare-{digest(data)}"


def plan_comparison(settings: CompareSettings, *, progress: Progress = SILENT) -> ComparePlan:
    """Open the suites, models and judges of a comparison.

    Raises:
        InputError: a setting is wrong, or a file.
    """
    # Programs are not tested on their train tasks.
    split = settings.split or ("test" if settings.train_suite is None else None)
    measured = Measurement.open(settings.model_copy(update={"split": split}), progress)
    suite = measured.suite
    train_suite = open_train_suite(settings.train_suite, suite) if settings.train_suite else suite
    # Programs that are named are compared with each other, unless strategies are named as well.
    alone = (settings.programs or settings.agents) and settings.strategies == type(settings).model_fields[
        "strategies"
    ].default
    strategies = (
        []
        if alone
        else strategies_for(settings.strategies, measured.tasks, progress, measured.suite.env.folder)
    )
    chosen = [optimizer_class(name, option="--optimizers") for name in settings.optimizers]
    compiles = set(settings.optimizers) != {NO_OPTIMIZER} and bool(strategies or settings.programs)
    every = [*suite.tasks, *train_suite.tasks]
    of_agents = models_of_agents(settings) if settings.agents else []
    names = dict.fromkeys([*(settings.lm if strategies or settings.programs else ()), *of_agents])
    models = {name: Model(name, resolve(name, tasks=every)) for name in names}
    planners = {name: Model(name, resolve(name, tasks=every)) for name in settings.planners}
    # A comparison that compiles nothing needs no teacher, and its suite no gold plans.
    teacher = next(iter(models.values()))
    if compiles:
        trained = train_suite.select(split="train", scheme=settings.scheme)
        name = teacher_name(settings.teacher, teacher.name, trained, progress)
        teacher = Model(name, resolve(name, tasks=train_suite.tasks))
    check_scores(suite.env, PRIMARY, constraints(settings.constraint), judged=bool(settings.judge))
    for optimizer, model in product(chosen, models.values()):
        proposing_model(optimizer, None, teacher, model)
    learning = bool(train_suite.select(split="train", scheme=settings.scheme))
    arms = study_arms(suite, settings, strategies, learning=learning)
    agents = [new_agent(suite, settings, name) for name in strategies]
    named = [named_program(each, suite.env).program for each in settings.programs]
    for address in settings.agents:
        named_agent(suite, settings, address)  # a wrong address is refused before anything is paid
    for agent, planner in product(agents, planners.values()):
        if agent.strategy.planner == "model":
            give_planner(agent, planner.lm)
            check_models(agent, [planner.lm])
    for program in (*agents, *named):
        check_models(program, (each.lm for each in (*models.values(), *([teacher] if compiles else ()))))
    return ComparePlan(
        settings=settings,
        measurement=replace(measured, partial=False),
        train_suite=train_suite,
        models=models,
        planners=planners,
        teacher=teacher,
        arms=ablated(suite, measured.tasks, arms, settings),
    )
