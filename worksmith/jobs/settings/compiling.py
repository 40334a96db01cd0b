"""The settings of commands that compile programs, and of those about their results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from worksmith.jobs.settings.base import setting, with_model_options
from worksmith.jobs.settings.groups.episodes import (
    BudgetSettings,
    EngineSettings,
    SeedSettings,
    TimeLimitSettings,
    WorkerSettings,
)
from worksmith.jobs.settings.groups.judging import JudgeOptions
from worksmith.jobs.settings.groups.models import (
    MODELS,
    ModelSettings,
    model_options,
)
from worksmith.jobs.settings.groups.programs import (
    OPTIMIZERS,
    PARTS,
    DemoSettings,
    PlannerSettings,
    ProgramSettings,
    as_text,
)
from worksmith.jobs.settings.groups.record import MlflowSettings, traces
from worksmith.jobs.settings.groups.tasks import (
    ConditionSettings,
    SchemeSettings,
    SuiteSettings,
)


class CompileSettings(
    SuiteSettings,
    ProgramSettings,
    PlannerSettings,
    ModelSettings,
    DemoSettings,
    ConditionSettings,
    SchemeSettings,
    SeedSettings,
    EngineSettings,
    TimeLimitSettings,
    JudgeOptions,
    BudgetSettings,
    MlflowSettings,
):
    """Choose demonstrations for an agent and write it to one file."""

    group = "Compile"

    out: Path = setting(..., "File to write.", short="-o", path="file", recorded=False)
    optimizer: str = setting(
        "bootstrap",
        "none, race (candidates compete on dev, losers stop early), bootstrap (every set on all of dev), knn "
        "(nearest to each task), or dspy:NAME.",
        suggest=OPTIMIZERS,
    )
    teacher: str | None = setting(
        None,
        "Model whose successes become demonstrations; gold follows the gold plans.",
        suggest=MODELS,
        unset="gold if training tasks have gold plans, else --lm",
    )
    teacher_option: tuple[str, ...] = model_options("teacher")
    bank: Path | None = setting(
        None, "Trace bank (`worksmith bank build`) to use instead of a teacher.", path="file", expert=True
    )
    proposer: str | None = setting(
        None,
        "Language model that proposes texts, for a race over instructions or tools and for optimizers that "
        "change instructions.",
        unset="of a race none, else the teacher if it is a language model, else --lm",
        expert=True,
    )
    over: tuple[str, ...] = setting(
        (),
        "Part of the program that a race may change; repeat for several. `tools` are their descriptions.",
        suggest=PARTS,
        unset="demonstrations, and with --proposer instructions and tools",
        expert=True,
    )
    pinned: tuple[str, ...] = setting(
        (), "Predictor or tool whose texts a race leaves as they are; repeat for several.", expert=True
    )
    forbidden: tuple[str, ...] = setting(
        (), "Word that texts of a race may not have; repeat for several.", expert=True
    )
    selection: str | None = setting(
        None,
        "Selection of demonstrations: random, covering (the bank's words and tools), nearest (to each "
        "task), or mixture (a quarter covering, the rest nearest). For bootstrap, race and knn.",
        suggest=("random", "covering", "nearest", "mixture"),
        unset="the optimizer's own",
        expert=True,
    )
    demo_unit: str = setting(
        "trajectory",
        "Content of a demonstration: a whole trajectory, or the state up to one call (step).",
        suggest=("trajectory", "step"),
        expert=True,
    )
    demo_tokens: int | None = setting(
        None,
        "Most tokens for the demonstrations of a prompt; four characters count as one.",
        min=1,
        unset="no limit but --demos",
        expert=True,
    )
    accept: str = setting(
        "tested",
        "tested: race, bootstrap and knn keep the uncompiled program unless a test over intents shows the "
        "winner to be better on dev; best: they take the best on dev without a test.",
        expert=True,
        suggest=("tested", "best"),
    )
    alpha: float = setting(0.05, "Largest chance of accepting a program that is not better.", expert=True)
    threshold: float = setting(
        1.0, "Lowest score of a success, which may become a demonstration.", expert=True
    )
    margin: float = setting(
        0.1, "Difference in score below which race treats programs as equal.", expert=True
    )
    embedding: str = setting(
        "lexical",
        "Comparison of tasks in knn: lexical, or lexical with minilm (takes seconds to load).",
        suggest=("lexical", "minilm"),
        expert=True,
    )
    train_limit: int | None = setting(None, "The most training tasks, spread evenly.", min=1, expert=True)
    dev_limit: int | None = setting(None, "The most dev tasks, spread evenly.", min=1, expert=True)
    maximize: str = setting(
        "outcome",
        "Score to choose programs by: outcome, any other score of episodes, judge (the share of episodes at "
        "level 4 or 5; without it, verdicts are only reported), or for races scores against costs, such as "
        "'outcome - 0.1*dollars'.",
        suggest=("outcome", "judge", "reward", "f1", "exact_match"),
        expert=True,
    )
    gate: tuple[Path, ...] = setting(
        (),
        "Verdict of `worksmith judge calibrate` on the judge of --maximize judge; repeat for several.",
        metavar="FILE",
        unset="mlruns/judges/DIGEST.json",
        path="file",
        expert=True,
    )
    force_judge: bool = setting(False, "Accept a judge that did not pass the gate.", expert=True)
    resume: bool = setting(False, "Continue an interrupted compile.", recorded=False)
    force: bool = setting(False, "Replace an existing file; start again.", recorded=False)
    journal: bool = setting(
        True, "Keep the journal, OUT.journal, for `worksmith verify`.", recorded=False, expert=True
    )
    pareto: bool = setting(
        False, "Also print score, tokens and seconds of all candidates.", recorded=False, expert=True
    )
    traces: str = traces("none")
    register_as: str | None = setting(
        None,
        "Make the program the next version of a registered MLflow model.",
        flag="--register",
        metavar="NAME[@ALIAS]",
        recorded=False,
        expert=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _with_teacher_options(cls, values: Any) -> Any:
        return with_model_options(cls, values, "teacher")


def _settled(name: str) -> Any:
    """A setting of a compile that the compiled program's file settles."""
    return setting(CompileSettings.model_fields[name].default, "", option=False, recorded=False)


class RecompileSettings(CompileSettings):
    """Move a compiled program to another model, and write it to one file."""

    group = "Compile"

    program: Annotated[str, BeforeValidator(as_text)] = setting(
        ...,
        "A compiled program's file, or package.module:factory@FILE.",
        metavar="PROGRAM",
        positional=True,
    )
    suite: Path = setting(..., "Suite directory.")
    lm: str = setting(..., "Model to move to.", suggest=MODELS)
    optimizer: str = setting("race", "", option=False)
    over: tuple[str, ...] = setting(
        (),
        "Part of the program that may change; repeat for several. `tools` are their descriptions.",
        suggest=PARTS,
        unset="demonstrations, the program's own parts, and with --proposer instructions and tools",
        expert=True,
    )
    strategy: str = _settled("strategy")
    toolset: str | None = _settled("toolset")
    max_steps: int = _settled("max_steps")
    access: str = _settled("access")
    prompt: str | None = _settled("prompt")


class VerifySettings(WorkerSettings):
    """Derive a compiled program again from its journal."""

    program: Path = setting(..., "File that `worksmith compile` wrote.", positional=True, path="file")
    suite: Path | None = setting(
        None, "The suite it was compiled on.", unset="the path that was given when it was compiled"
    )
    lm: tuple[str, ...] = setting(
        (),
        "Model of your own that it was compiled with; repeat for several.",
        metavar="MODULE:NAME",
        unset="none",
        expert=True,
    )
    strategy: str | None = setting(
        None,
        "Strategy of your own that it was compiled with.",
        metavar="MODULE:NAME",
        unset="none",
        expert=True,
    )
    journal: Path | None = setting(None, "Its journal.", unset="PROGRAM.journal", path="folder")
