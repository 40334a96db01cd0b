"""Options that several commands share, and how commands speak: results to stdout, the rest to stderr."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evals.characters import harmless

STRATEGIES = ["direct", "cot", "act", "react", "plan", "gold", "gold-arguments", "function_calling"]
TOOLSETS = ["all", "required", "retrieved:12", "query", "functions", "functions+query", "plain"]
OPTIMIZERS = [
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
]
LOCAL_JUDGE = "local/rubric"
JUDGES = [LOCAL_JUDGE, "openai/gpt-4o-mini", "unaided:", "median:"]
SELECTIONS = ["random", "covering", "nearest", "mixture"]
WHERE = ["domain", "area", "subarea", "type", "difficulty", "intent", "persona", "department", "level"]
MODELS = ["local/analogy", "gold", "replay:", "openai/gpt-4o-mini", "ollama_chat/llama3.2"]

SuiteArgument = Annotated[Path, typer.Argument(help="Suite directory.")]
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN",
        help="Episode log, folder of logs (a comparison), or id of an MLflow run with those below it.",
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
SeedOption = Annotated[int, typer.Option(help="Every random choice derives from it.")]
WorkersOption = Annotated[int, typer.Option(min=1, max=512, help="Episodes in flight at once.")]
LmOption = Annotated[
    str,
    typer.Option(
        "--lm",
        help="Model: local/analogy, gold, replay:FILE, or any DSPy model name.",
        autocompletion=lambda: MODELS,
    ),
]
StrategyOption = Annotated[
    str, typer.Option(help=f"Planning strategy: {', '.join(STRATEGIES)}.", autocompletion=lambda: STRATEGIES)
]
ToolsetOption = Annotated[
    str | None,
    typer.Option(
        help="Tools shown: all, those the task requires (required), those nearest to each step "
        "(retrieved:K), or toolkits by name (query, functions+query).",
        show_default="what the world offers the strategy, else all",
        autocompletion=lambda: TOOLSETS,
    ),
]
CallsOption = Annotated[
    str,
    typer.Option(
        help="How function_calling makes its calls: native where the model has tool calls (auto), native, "
        "or text.",
        autocompletion=lambda: ["auto", "native", "text"],
    ),
]
AccessOption = Annotated[
    str,
    typer.Option(
        help="Who is asked about each call before it is made: policy, model, or both, policy first. Calls "
        "that a model denies are not made; what is allowed, the policy decides.",
        autocompletion=lambda: ["policy", "model", "both"],
    ),
]
MaxStepsOption = Annotated[int, typer.Option(min=1, max=200, help="Most steps of an episode.")]
DemosOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1000,
        help="Demonstrations in a prompt.",
        show_default="16; 128 for fixed sets and a local model",
    ),
]
SelectionOption = Annotated[
    str | None,
    typer.Option(
        "--selection",
        help="How demonstrations are chosen: random, covering (the bank's words and tools), nearest (to each "
        "task), or mixture (a quarter covering, the rest nearest). For bootstrap, race and knn.",
        show_default="the optimizer's own ways",
        autocompletion=lambda: SELECTIONS,
    ),
]
DemoUnitOption = Annotated[
    str,
    typer.Option(
        "--demo-unit",
        help="What one demonstration shows: a whole trajectory, or the state up to one call (step).",
        autocompletion=lambda: ["trajectory", "step"],
    ),
]
DemoTokensOption = Annotated[
    int | None,
    typer.Option(
        "--demo-tokens",
        min=1,
        help="As many tokens as the demonstrations of a prompt may take, four characters counted as one.",
        show_default="no limit but --demos",
    ),
]
ConstraintOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BOUND",
        help="What a compiled program has to keep on dev, e.g. leak=0, 'over_refusal<=0.05' or "
        "'used_tokens<=4000'; repeat for several. Who does not is not chosen, however well it does.",
        autocompletion=lambda: ["leak=0", "over_refusal<=0.05", "unwanted_side_effects=0", "used_tokens<="],
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        help="train, dev, test, paired or all.",
        show_default="test; all of a published task set",
        autocompletion=lambda: ["train", "dev", "test", "paired", "all"],
    ),
]
SchemeOption = Annotated[
    str,
    typer.Option(
        "--scheme",
        help="standard (every intent in every split) or held_out_intents.",
        autocompletion=lambda: ["standard", "held_out_intents"],
    ),
]
GroundTruthOption = Annotated[
    str,
    typer.Option(help="published or corrected.", autocompletion=lambda: ["published", "corrected"]),
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="At most so many tasks, spread evenly.")]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Only tasks that are so, e.g. domain=calendar, area=HR or department=FI; several values by "
        "comma, several conditions by repeating.",
        autocompletion=lambda: [f"{name}=" for name in WHERE],
    ),
]
OrgOption = Annotated[
    str | None,
    typer.Option(
        help="Let tools read a live org instead of the suite's world: salesforce, which the SALESFORCE_ "
        "variables name.",
        show_default="the suite's world",
        autocompletion=lambda: ["salesforce"],
    ),
]
OrgIdsOption = Annotated[
    Path | None,
    typer.Option(
        help="File of `worksmith org upload`: the org is asked and answers in the world's ids.",
        dir_okay=False,
    ),
]
_JUDGE_HELP = (
    "Judge episodes by a rubric of five levels: local/rubric (no language model: checks facts by rule), any "
    "DSPy model name, unaided:NAME (not told what is right), or median:NAME,NAME,NAME. Repeat for several."
)


def _judges(default: str) -> Any:
    """The option by which judges are named; `default` is what help says where none is."""
    return typer.Option(
        "--judge",
        metavar="NAME",
        help=_JUDGE_HELP,
        show_default=default,
        autocompletion=lambda: JUDGES,
    )


JudgeOption = Annotated[list[str] | None, _judges("nobody")]
JudgedOption = Annotated[list[str] | None, _judges(LOCAL_JUDGE)]
"""For commands that are of no use without a judge."""
RubricOption = Annotated[
    Path | None,
    typer.Option(
        "--rubric",
        help="YAML file of rubrics for the judges.",
        show_default="one for each type of task",
        dir_okay=False,
    ),
]
TrackFlag = Annotated[bool, typer.Option("--track/--no-track", help="Record the run in MLflow.")]
TrackingUriOption = Annotated[
    str | None,
    typer.Option(
        envvar="MLFLOW_TRACKING_URI", help="MLflow store.", show_default="sqlite:///mlruns/mlflow.db"
    ),
]
ExperimentOption = Annotated[
    str | None,
    typer.Option(envvar="MLFLOW_EXPERIMENT_NAME", help="MLflow experiment.", show_default="the suite's name"),
]
RegisterOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[@ALIAS]", help="Make the program the next version of a registered MLflow model."
    ),
]
TracesOption = Annotated[
    str,
    typer.Option(
        metavar="CHOICE",
        help="Episodes that become MLflow traces: some (100 failures and 20 others), all, failures, sample:N "
        "or none.",
        autocompletion=lambda: ["some", "all", "failures", "sample:100", "none"],
    ),
]


NoCacheFlag = Annotated[
    bool, typer.Option("--no-cache", help="Ask models anew, whatever DSPy's cache of replies holds.")
]


def leave_out_cache(left_out: bool) -> None:
    """Let no reply come out of DSPy's cache from here on, and none go into it, if `left_out`."""
    if left_out:
        import dspy

        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)


def say(message: str) -> None:
    """Tell the person at the terminal something that is not the result."""
    typer.echo(harmless(message), err=True)
