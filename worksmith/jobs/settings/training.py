"""Settings of training."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from worksmith.evals.lm.named import APPRENTICE, SMOLLM2
from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.episodes import SeedSettings
from worksmith.jobs.settings.groups.record import StoreSettings, TrackSettings

Tune = Literal["lora", "lora-all", "full"]
Form = Literal["whole", "difference"]
Precision = Literal["auto", "float32", "bfloat16"]


class TrainSettings(SeedSettings, TrackSettings, StoreSettings):
    """Train a model on the lines of a file."""

    group = "Train"

    model: str = setting(
        SMOLLM2,
        "Model to train: local/smollm2, local/apprentice, a folder (also of a trained model), or a name on "
        "Hugging Face's hub.",
        suggest=(SMOLLM2, APPRENTICE),
    )
    data: Path = setting(..., "Training data, as worksmith export sft or dpo writes it.", path="file")
    out: Path = setting(..., "Folder to write.", short="-o", path="folder", recorded=False)
    tune: Tune = setting(
        "lora", "Weights to train: lora (adapters of attention), lora-all (of all linear layers) or full."
    )
    form: Form = setting(
        "whole",
        "With --tune full: write all weights, or their two-bit difference to the base, an 18th of the size.",
    )
    rank: int = setting(16, "Rank of adapters; they are scaled by 2.", min=1, max=1_024, expert=True)
    embeddings: bool = setting(False, "With --tune full: train the embeddings as well.", expert=True)
    learning_rate: float | None = setting(
        None,
        "Highest learning rate; it rises over the first 3 % of the steps and falls as a cosine.",
        min=1e-9,
        max=1,
        unset="sft: 1e-3, full 4e-4; dpo: 5e-5, full 5e-6",
    )
    epochs: float = setting(1.0, "Passes over the data.", min=0.001, max=1_000)
    max_steps: int | None = setting(None, "Most steps; fewer than --epochs asks for.", min=1, unset="all")
    batch_tokens: int = setting(2_600, "Most tokens of a step on each device.", min=16, max=2**22)
    max_length: int = setting(
        2_048, "Most tokens of a line; longer ones are left out and counted.", min=16, max=2**20
    )
    packing: bool = setting(
        False, "Put lines end to end, without padding, in place of batches of lines of like lengths."
    )
    precision: Precision = setting(
        "auto", "auto is bfloat16 where the processor or GPU computes in it; weights are kept in float32."
    )
    recompute: bool = setting(
        False, "Compute activations twice to need less memory; a third slower.", expert=True, recorded=False
    )
    prompt: str | None = setting(
        None,
        "Format of the prompts in the data, which agents then use: text, json, compact or compact:N.",
        unset="that of the data's card, else compact",
        suggest=("compact", "text", "json"),
    )
    licence: str | None = setting(
        None,
        "Licence of the result, as an SPDX expression.",
        unset="the base model's and those of the data",
        expert=True,
    )
    save_every: int | None = setting(
        None,
        "Steps between checkpoints.",
        min=1,
        unset="a twentieth of all steps, and at least 10",
        expert=True,
        recorded=False,
    )
    resume: bool = setting(False, "Go on with an unfinished training in --out.", recorded=False)
    force: bool = setting(False, "Replace the files in --out.", recorded=False)
    download: bool = setting(
        False, "Fetch the model from Hugging Face's hub if it is not here.", recorded=False
    )
    register_as: str | None = setting(
        None,
        "Make the model, with its data card, the next version of a registered MLflow model.",
        flag="--register",
        metavar="NAME[@ALIAS]",
        recorded=False,
        expert=True,
    )
    experiment: str = setting(
        "training", "MLflow experiment.", variable="MLFLOW_EXPERIMENT_NAME", recorded=False
    )


class TrainSftSettings(TrainSettings):
    """Train a model to write the assistant's turns of the data."""

    group = "Train"


class TrainDpoSettings(TrainSettings):
    """Train a model to prefer the chosen replies in the data to the rejected ones."""

    group = "Train"

    beta: float = setting(
        0.1, "Weight of staying near the model as it was at the start.", min=0.0001, max=100
    )
