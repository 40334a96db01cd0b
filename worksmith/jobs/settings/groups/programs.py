"""Settings of programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from worksmith.jobs.settings.base import JobSettings, setting

STRATEGIES = ("direct", "cot", "act", "react", "plan", "gold", "gold-arguments", "function_calling")


TOOLSETS = ("all", "required", "retrieved:12", "query", "functions", "functions+query", "plain")


PARTS = ("demonstrations", "instructions", "tools", "form", "strategy", "toolset", "temperature")

OPTIMIZERS = (
    "none",
    "bootstrap",
    "race",
    "knn",
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
    "dspy:ReAnchor",
    "dspy:BetterTogether",
    "dspy:BootstrapFinetune",
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
    prompt: str | None = setting(
        None,
        "Form of prompts and replies: text, fields under markers; json, one JSON object a reply; native, the "
        "model's own tool calls; compact, without descriptions of tools, for models that were trained on "
        "them (compact:N shows N characters of each observation, else 1,000); or auto, compact for such "
        "models and text for others.",
        suggest=("auto", "text", "json", "native", "compact", "compact:"),
        unset="native for function_calling, else auto",
        expert=True,
    )


class AgentSettings(ToolSettings):
    """An agent that is not compiled."""

    group = "Program and model"

    strategy: str = setting(
        "react",
        f"Planning strategy: {', '.join(STRATEGIES)}, or package.module:NAME of yours.",
        suggest=STRATEGIES,
    )


def as_text(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


class ProgramSettings(AgentSettings):
    """An agent, or another program in its place."""

    group = "Program and model"

    program: Annotated[str | None, BeforeValidator(as_text)] = setting(
        None,
        "A compiled program's file, or your own module: package.module:factory, compiled: "
        "package.module:factory@FILE.",
        metavar="FILE|MODULE:NAME",
    )


PLANNER_HELP = "of the planner, where the strategy has a model plan (plan); all other parts ask --lm."


class PlannerSettings(JobSettings):
    """The model that plans."""

    group = "Program and model"

    planner_lm: str | None = setting(
        None, f"Model {PLANNER_HELP}", suggest=("local/", "openai/gpt-4o-mini"), unset="--lm", expert=True
    )


AGENT_HELP = (
    "An agent of any framework, package.module:function; it gets a task with tools and returns an answer"
)


class OwnAgentSettings(JobSettings):
    """An agent of the user's, which may ask models itself."""

    group = "Program and model"

    agent: str | None = setting(None, f"{AGENT_HELP}.", metavar="MODULE:NAME")


class DemoSettings(JobSettings):
    """How many demonstrations a prompt gets, and from how many candidate sets."""

    group = "Demonstrations"

    demos: int | None = setting(
        None,
        "Demonstrations in a prompt.",
        min=1,
        max=1000,
        unset="4 for local/apprentice, else 16",
    )
    candidates: int = setting(4, "Sets of demonstrations to compare on dev.", min=1, max=1000, expert=True)
    constraint: tuple[str, ...] = setting(
        (),
        "Bound that a compiled program must keep on dev, e.g. leak=0 or 'used_tokens<=4000'; repeatable.",
        metavar="BOUND",
        suggest=("leak=0", "asr=0.02", "over_refusal<=0.05", "unwanted_side_effects=0", "used_tokens<="),
    )
