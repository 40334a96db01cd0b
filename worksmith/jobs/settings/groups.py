"""Groups of settings that several jobs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from evals.tasks.task import SplitScheme
from worksmith.jobs.settings.base import JobSettings, setting, with_model_options

STRATEGIES = ("direct", "cot", "act", "react", "plan", "gold", "gold-arguments", "function_calling")
TOOLSETS = ("all", "required", "retrieved:12", "query", "functions", "functions+query", "plain")
OPTIMIZERS = (
    "none",
    "bootstrap",
    "race",
    "knn",
    "tpe",
    "dspy:LabeledFewShot",
    "dspy:BootstrapFewShot",
    "dspy:BootstrapFewShotWithRandomSearch",
    "dspy:BootstrapFewShotWithOptuna",
    "dspy:KNNFewShot",
    "dspy:COPRO",
    "dspy:MIPROv2",
    "dspy:SIMBA",
    "dspy:GEPA",
    "dspy:InferRules",
    "dspy:BetterTogether",
)
MODELS = ("local/analogy", "local/smollm2", "gold", "replay:", "openai/gpt-4o-mini", "ollama_chat/llama3.2")
LOCAL_MODEL = "local/analogy"
LOCAL_JUDGE = "local/rubric"
FIELDS = ("domain", "area", "subarea", "type", "difficulty", "intent", "persona", "department", "level")

GroundTruth = Literal["published", "corrected"]
SplitName = Literal["train", "dev", "test", "paired", "all"]


class SuiteSettings(JobSettings):
    suite: Path = setting(..., "Suite directory.", positional=True)


class RunsSettings(JobSettings):
    runs: tuple[str, ...] = setting(
        ...,
        "Episode log, folder of logs (a comparison), or id of an MLflow run with its child runs.",
        metavar="RUN",
        positional=True,
    )


class ToolSettings(JobSettings):
    """The tools of an agent, and how it calls them."""

    group = "Program and model"

    toolset: str | None = setting(
        None,
        "Tools on offer: all, the task's (required), the nearest to each step (retrieved:K), or toolkits "
        "by name (query, functions+query).",
        suggest=TOOLSETS,
        unset="the world's default for the strategy, else all",
        expert=True,
    )
    max_steps: int = setting(20, "Most steps of an episode.", min=1, max=200, expert=True)
    access: str = setting(
        "policy",
        "Check before each call: policy, model, or both (policy first). Calls that the model denies are "
        "not made; the policy always decides.",
        suggest=("policy", "model", "both"),
        expert=True,
    )
    calls: str | None = setting(
        None,
        "Form of calls: text, or native for the model's own tool calls.",
        suggest=("text", "native"),
        unset="native for function_calling, else text",
        expert=True,
    )


class AgentSettings(ToolSettings):
    """An agent that is not compiled."""

    group = "Program and model"

    strategy: str = setting("react", f"Planning strategy: {', '.join(STRATEGIES)}.", suggest=STRATEGIES)


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


class ProgramSettings(AgentSettings):
    """An agent, or another program in its place."""

    group = "Program and model"

    program: Annotated[str | None, BeforeValidator(_text)] = setting(
        None,
        "A compiled program's file, or your own module: package.module:factory, compiled: "
        "package.module:factory@FILE.",
        metavar="FILE|MODULE:NAME",
    )


AGENT_HELP = (
    "An agent of any framework, package.module:function; it gets a task with tools and returns an answer"
)


class OwnAgentSettings(JobSettings):
    """An agent of the user's, which may ask models itself."""

    group = "Program and model"

    agent: str | None = setting(None, f"{AGENT_HELP}.", metavar="MODULE:NAME")


class CacheSettings(JobSettings):
    group = "Program and model"

    no_cache: bool = setting(False, "Ignore DSPy's cache of replies.", recorded=False, expert=True)


def model_options(name: str) -> tuple[str, ...]:
    """Declare the settings of the models that the setting `name` names."""
    options: tuple[str, ...] = setting(
        (),
        f"Setting of the model of --{name}, e.g. temperature=0.2, as in worksmith.toml; repeatable.",
        metavar="NAME=VALUE",
        suggest=("temperature=", "max_tokens=", "reasoning_effort=", "api_base=", "timeout="),
        recorded=False,
        expert=True,
    )
    return options


class ModelSettings(CacheSettings):
    group = "Program and model"

    lm: str = setting(
        LOCAL_MODEL, "Model: local/analogy, gold, replay:FILE, or any DSPy model name.", suggest=MODELS
    )
    lm_option: tuple[str, ...] = model_options("lm")

    @model_validator(mode="before")
    @classmethod
    def _with_lm_options(cls, values: Any) -> Any:
        return with_model_options(cls, values, "lm")


class SchemeSettings(JobSettings):
    group = "Tasks"

    scheme: SplitScheme = setting(
        "standard", "standard (every intent in every split) or held_out_intents.", expert=True
    )


class ConditionSettings(JobSettings):
    group = "Tasks"

    where: tuple[str, ...] = setting(
        (),
        "Only tasks with this value, e.g. domain=calendar or area=HR,IT; repeatable.",
        metavar="FIELD=VALUE",
        suggest=[f"{name}=" for name in FIELDS],
    )


class LimitSettings(JobSettings):
    group = "Tasks"

    limit: int | None = setting(None, "At most so many tasks, spread evenly.", min=1)


class TaskSettings(ConditionSettings, LimitSettings, SchemeSettings):
    """The tasks of a suite that a job takes."""

    group = "Tasks"

    split: SplitName | None = setting(
        None, "train, dev, test, paired or all.", unset="test; all of a published task set"
    )


class EpisodeSettings(JobSettings):
    """The episodes of each task, and how they are scored."""

    group = "Tasks"

    trials: int = setting(1, "Independent attempts at each task.", min=1)
    ground_truth: GroundTruth = setting("published", "published or corrected.", expert=True)


class SeedSettings(JobSettings):
    group = "Run"

    seed: int = setting(0, "Seed of all random choices.")


class WorkerSettings(JobSettings):
    group = "Run"

    workers: int = setting(8, "Episodes in flight at once.", min=1, max=512, recorded=False)


class TimeLimitSettings(JobSettings):
    group = "Run"

    time_limit: float | None = setting(
        None,
        "Most seconds of an episode; a longer one is lost as `timeout`.",
        metavar="SECONDS",
        min=0.001,
        unset="no limit",
        expert=True,
    )


class DemoSettings(JobSettings):
    """How many demonstrations a prompt gets, and from how many candidate sets."""

    group = "Demonstrations"

    demos: int | None = setting(
        None,
        "Demonstrations in a prompt.",
        min=1,
        max=1000,
        unset="16; 128 for fixed sets and a local model",
    )
    candidates: int = setting(4, "Sets of demonstrations to compare on dev.", min=1, max=1000, expert=True)
    constraint: tuple[str, ...] = setting(
        (),
        "Bound that a compiled program must keep on dev, e.g. leak=0 or 'used_tokens<=4000'; repeatable.",
        metavar="BOUND",
        suggest=("leak=0", "over_refusal<=0.05", "unwanted_side_effects=0", "used_tokens<="),
    )


def judges(*default: str) -> tuple[str, ...]:
    """Declare the setting that names judges."""
    names: tuple[str, ...] = setting(
        default,
        "Judge episodes by a rubric of five levels: local/rubric (checks facts by rule), a model's name, "
        "unaided:NAME (without the reference) or median:NAME,NAME; repeatable.",
        metavar="NAME",
        suggest=(LOCAL_JUDGE, "openai/gpt-4o-mini", "unaided:", "median:"),
        unset=", ".join(default) or "none",
    )
    return names


class RubricSettings(JobSettings):
    group = "Judges"

    rubric: Path | None = setting(
        None,
        "YAML file of rubrics for the judges.",
        unset="one for each type of task",
        path="file",
        expert=True,
    )


class JudgeSettings(RubricSettings):
    group = "Judges"

    judge: tuple[str, ...] = judges()


class OrgSettings(JobSettings):
    """The live system that tools work on, if any."""

    group = "Live system"

    org: str | None = setting(
        None,
        "Live system for tools to work on instead of the suite's world, if the world kind has one.",
        unset="the suite's world",
        expert=True,
    )
    org_ids: Path | None = setting(
        None,
        "File of `worksmith org upload`, which maps the org's ids to the world's.",
        path="file",
        expert=True,
    )


def _limit(help: str, **traits: Any) -> Any:
    return setting(None, help, recorded=False, **traits)


class BudgetSettings(JobSettings):
    """The limits of a job; without any there is no budget."""

    group = "Budget"

    max_calls: int | None = _limit("Most paid requests to models, retries included.")
    max_tokens: int | None = _limit("Most paid tokens.")
    max_usd: float | None = _limit("Most dollars; the prices of all models must be known.")
    max_minutes: float | None = _limit("Most minutes.")
    prices: Path | None = _limit(
        "Table of prices (TOML): input and output of each model in dollars per million tokens.",
        unset="list prices",
        path="file",
        expert=True,
    )


class StoreSettings(JobSettings):
    """The MLflow store."""

    group = "Record"

    tracking_uri: str | None = setting(
        None,
        "MLflow store.",
        unset="sqlite:///mlruns/mlflow.db",
        variable="MLFLOW_TRACKING_URI",
        recorded=False,
        expert=True,
    )


def traces(default: str) -> str:
    """Declare the setting that says which episodes become traces."""
    choice: str = setting(
        default,
        "Episodes that become MLflow traces: some (100 failures and 20 others), all, failures, sample:N or "
        "none.",
        metavar="CHOICE",
        expert=True,
        suggest=("some", "all", "failures", "sample:100", "none"),
        recorded=False,
    )
    return choice


def _named(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise ValueError("an experiment needs a name")
    return name


class ExperimentSettings(StoreSettings):
    """The MLflow experiment, and the episodes that become traces."""

    group = "Record"

    experiment: Annotated[str | None, BeforeValidator(_named)] = setting(
        None,
        "MLflow experiment.",
        unset="the suite's name",
        variable="MLFLOW_EXPERIMENT_NAME",
        recorded=False,
    )
    traces: str = traces("some")


class TrackSettings(JobSettings):
    group = "Record"

    track: bool = setting(True, "Record the run in MLflow.", recorded=False)


class MlflowSettings(TrackSettings, ExperimentSettings):
    """The record of a job in MLflow."""

    group = "Record"


class MeasureSettings(
    SuiteSettings,
    TaskSettings,
    EpisodeSettings,
    SeedSettings,
    WorkerSettings,
    TimeLimitSettings,
    CacheSettings,
    JudgeSettings,
    OrgSettings,
    BudgetSettings,
    MlflowSettings,
):
    """The tasks on which programs are measured, and how they are."""

    group = "Run"

    resume: bool = setting(False, "Continue the logs of a stopped run.", recorded=False)
