"""Settings of the jobs that run programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from worksmith.evals.lm.named import APPRENTICE, DEFAULT
from worksmith.jobs.settings.base import JobSettings, Names, setting, with_model_options
from worksmith.jobs.settings.groups.episodes import (
    BudgetSettings,
    EngineSettings,
    OrgSettings,
    SeedSettings,
    TimeLimitSettings,
    WorkerSettings,
)
from worksmith.jobs.settings.groups.judging import JudgeOptions
from worksmith.jobs.settings.groups.measuring import MeasureSettings
from worksmith.jobs.settings.groups.models import (
    MODELS,
    CacheSettings,
    ModelSettings,
    model_options,
)
from worksmith.jobs.settings.groups.programs import (
    AGENT_HELP,
    OPTIMIZERS,
    PARTS,
    PLANNER_HELP,
    STRATEGIES,
    AgentSettings,
    DemoSettings,
    OwnAgentSettings,
    PlannerSettings,
    ProgramSettings,
    ToolSettings,
    as_text,
)
from worksmith.jobs.settings.groups.record import MlflowSettings, StoreSettings, TracedSettings, traces
from worksmith.jobs.settings.groups.tasks import (
    ConditionSettings,
    GroundTruth,
    LimitSettings,
    SchemeSettings,
    SplitName,
    SuiteSettings,
)


class EvaluateSettings(ProgramSettings, PlannerSettings, OwnAgentSettings, ModelSettings, MeasureSettings):
    """Run a program on a suite's tasks and score every episode."""

    group = "Record"

    log: Path | None = setting(None, "Episode log (JSON lines).", path="file", recorded=False)
    record: Path | None = setting(
        None, "Keep every request and reply; replay:FILE plays them back.", path="file", recorded=False
    )
    shard: str | None = setting(
        None,
        "Run the K-th of N parts of the tasks; `worksmith log merge` makes one run of the parts.",
        metavar="K/N",
        expert=True,
    )


class AttackSettings(EvaluateSettings):
    """Run a program on tasks whose data hold planted instructions, and report which it follows."""

    attack: bool = setting(True, "Plant instructions into what the tasks read.", option=False)


RECORDED_TRIALS = 3
"""Of a baseline: with one trial, chance would hide losses from every check against it."""


class CheckSettings(EvaluateSettings):
    """Compare a program with a recorded baseline."""

    group = "Check"

    baseline: Path = setting(
        ..., "File of the episodes that the program is compared with.", path="file", recorded=False
    )
    update: bool = setting(False, "Make this run the baseline.", recorded=False)
    constraint: tuple[str, ...] = setting(
        (),
        "Bound that counts as well, e.g. leak=0 or 'used_tokens<=4000'; repeatable.",
        metavar="BOUND",
        suggest=("leak=0", "over_refusal<=0.05", "unwanted_side_effects=0", "used_tokens<="),
    )
    junit: Path | None = setting(None, "Also write the result as JUnit's XML.", path="file", recorded=False)
    trials: int = setting(
        1, "Independent attempts at each task.", min=1, unset=f"{RECORDED_TRIALS} with --update, else 1"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_trials(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {"trials": RECORDED_TRIALS, **values} if values.get("update") else values


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


def _listed(values: Any) -> Any:
    if isinstance(values, str):
        values = (values,)
    if not isinstance(values, list | tuple):
        return values
    names = [name.strip() for value in values for name in str(value).split(",")]
    found = tuple(dict.fromkeys(name for name in names if name))
    if values and not found:
        raise ValueError("no name is given; leave it out")
    return found


class CompareSettings(ToolSettings, DemoSettings, MeasureSettings):
    """Compare strategies, each uncompiled and compiled, on the same tasks."""

    group = "Comparison"

    strategies: Names = setting(
        ("direct", "cot", "act", "react", "plan", "gold"),
        "Comma-separated; module:NAME is yours.",
        suggest=STRATEGIES,
    )
    optimizers: Names = setting(
        ("none", "bootstrap"),
        "Comma-separated: each strategy with each; none is uncompiled.",
        suggest=OPTIMIZERS,
    )
    programs: tuple[str, ...] = setting(
        (),
        "Another program: a compiled program's file, or package.module:factory; repeatable. Without "
        "--strategies only such and agents are compared.",
        flag="--program",
        metavar="FILE|MODULE:NAME",
        expert=True,
    )
    agents: tuple[str, ...] = setting(
        (),
        f"{AGENT_HELP}; repeatable. It is compared as it is, and never compiled.",
        flag="--agent",
        metavar="MODULE:NAME",
        expert=True,
    )
    train_suite: Path | None = setting(None, "Suite to compile on.", unset="the suite compared on")
    lm: Names = setting(
        (DEFAULT,),
        f"Comma-separated models: {APPRENTICE}, gold, gguf:FILE, replay:FILE, package.module:lm or any DSPy "
        "model name.",
        suggest=MODELS,
        unset=APPRENTICE,
    )
    lm_option: tuple[str, ...] = model_options("lm")
    planners: Annotated[tuple[str, ...], BeforeValidator(_listed)] = setting(
        (),
        f"Model {PLANNER_HELP} With several, comma-separated or repeated, each plans in turn.",
        flag="--planner-lm",
        metavar="MODEL",
        suggest=("local/", "openai/gpt-4o-mini"),
        unset="--lm",
        expert=True,
    )
    teacher: str | None = setting(
        None,
        "Model that teaches.",
        suggest=MODELS,
        unset="gold plans if there are, else --lm",
    )
    teacher_option: tuple[str, ...] = model_options("teacher")
    without_tools: Annotated[tuple[str, ...], BeforeValidator(_listed)] = setting(
        (),
        "Also run without functions of this category, with query tools instead; comma-separated or repeated.",
        metavar="CATEGORY",
    )
    report: Path | None = setting(None, "Write the report as a page.", path="file", recorded=False)

    @model_validator(mode="before")
    @classmethod
    def _with_options(cls, values: Any) -> Any:
        return with_model_options(cls, with_model_options(cls, values, "lm"), "teacher")


class BankSettings(
    SuiteSettings,
    AgentSettings,
    CacheSettings,
    SchemeSettings,
    LimitSettings,
    SeedSettings,
    WorkerSettings,
    StoreSettings,
):
    """Collect successful trajectories to compile with."""

    group = "Bank"

    out: Path = setting(..., "File to write.", short="-o", path="file", recorded=False)
    source: tuple[str, ...] = setting(
        ...,
        "Sources of trajectories, in order: gold (the gold plans), log:PATH (episode logs), "
        "mlflow:RUN_ID, replay:PATH (recorded runs), or a teacher model. Each source gets the tasks that "
        "the earlier ones did not solve. Repeatable.",
        flag="--from",
        suggest=("gold", "log:", "mlflow:", "replay:", "local/apprentice", "openai/gpt-4o"),
    )
    split: SplitName = setting(
        "train",
        "train, dev, test, paired or all. A compile leaves out tasks of its own dev and test splits.",
    )
    resume: bool = setting(False, "Continue an interrupted build.", recorded=False)
    force: bool = setting(False, "Replace an existing file; start again.", recorded=False)


class ShowBankSettings(JobSettings):
    """Read a trace bank."""

    file: Path = setting(..., "File written by `worksmith bank build`.", positional=True)


class ChatSettings(SuiteSettings, ProgramSettings, PlannerSettings, ModelSettings, OrgSettings):
    """Ask an agent."""

    group = "Run"

    persona: str | None = setting(
        None,
        "Id of the person who asks.",
        flag="--as",
        metavar="PERSON",
        unset="the only person, if all have the same rights",
    )


class RunSettings(ChatSettings, JudgeOptions, TracedSettings):
    """Run one task."""

    group = "Run"

    task: str = setting(..., "Id of a task, or any request in words (with --as).", positional=True)
    log: Path | None = setting(
        None, "Episode log (JSON lines) to add the episode to.", path="file", recorded=False
    )
    ground_truth: GroundTruth = setting("published", "published or corrected.")
    traces: str = traces("none")


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
