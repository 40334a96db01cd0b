"""The commands of `worksmith train`."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.training import DpoSettings, SftSettings, TrainSettings

app = Commands(help="Train a local model on exported data.", no_args_is_help=True)

DryRunFlag = Annotated[
    bool,
    typer.Option("--dry-run", help="Time a few steps; print tokens, steps, memory and minutes."),
]


@from_settings(
    SftSettings,
    examples=(
        "worksmith train sft --data sft.jsonl --out planner",
        "worksmith train sft --data sft.jsonl --out planner --tune full --dry-run",
        "worksmith train sft --data sft.jsonl --out planner --resume",
    ),
)
def train_sft(settings: SftSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Train a model to say what the assistant says in the data.

    Only the tokens of the assistant carry loss. The same data, settings and seed give the same weights on a
    CPU, also after a kill and --resume.
    """
    _train(settings, dry_run, as_json)


@from_settings(
    DpoSettings,
    examples=("worksmith train dpo --model planner --data dpo.jsonl --out planner-dpo",),
)
def train_dpo(settings: DpoSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Train a model to prefer the chosen replies to the rejected ones (direct preference optimization).

    --model names the model at the start, which is also the reference.
    """
    _train(settings, dry_run, as_json)


def _train(settings: TrainSettings, dry_run: bool, as_json: bool) -> None:
    from worksmith.training.forecast import forecast
    from worksmith.training.job import train

    job = forecast if dry_run else train
    show(job(settings, progress=Terminal()), as_json)


app.command("sft")(train_sft)
app.command("dpo")(train_dpo)
