"""Settings of the jobs that run programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from worksmith.evals.lm.named import APPRENTICE, DEFAULT
from worksmith.jobs.settings.base import JobSettings, Names, setting, with_model_options
from worksmith.jobs.settings.groups.episodes import (
    OrgSettings,
    SeedSettings,
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
    PLANNER_HELP,
    STRATEGIES,
    AgentSettings,
    DemoSettings,
    OwnAgentSettings,
    PlannerSettings,
    ProgramSettings,
    ToolSettings,
)
from worksmith.jobs.settings.groups.record import StoreSettings, TracedSettings, traces
from worksmith.jobs.settings.groups.tasks import (
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
