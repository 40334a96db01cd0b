"""TRL's trainers, on worksmith's batches. This module imports TRL, which takes seconds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import PrinterCallback, ProgressCallback, TrainerCallback
from transformers.utils import logging
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
from trl.trainer import utils as trl_utils

from worksmith.jobs.settings.training import Precision, TrainDpoSettings, TrainSettings
from worksmith.tools.errors import InputError
from worksmith.training.batches import Example, collator, dataset_of, pair_collator
from worksmith.training.start import Start, open_weights

_RATES = {"sft": {"full": 4e-4, "adapter": 1e-3}, "dpo": {"full": 5e-6, "adapter": 5e-5}}
_RISE = 0.03
"""The share of the steps in which the learning rate rises."""

_SAVES = 20
"""Checkpoints of a training by default."""

_APART = 10
"""The fewest steps between two of them."""

_KEPT = 2
"""Checkpoints that are kept: a kill may tear the last one."""


class _Silent:
    """A trainer that prints nothing and writes no page about its model."""

    def _send_telemetry(self) -> None:
        pass

    def create_model_card(self, *_: Any, **__: Any) -> None:
        pass


class _Sft(_Silent, SFTTrainer):  # type: ignore[misc]
    pass


class _Dpo(_Silent, DPOTrainer):  # type: ignore[misc]
    def _prepare_dataset(self, dataset: Any, *_: Any) -> Any:
        return dataset  # its rows are tokens already


class Plan(NamedTuple):
    """The steps of a training.

    Attributes:
        batches: the examples of each step.
        steps: all of them, over all epochs.
        share: the passes over the data.
        rate: the highest learning rate.
        bfloat16: whether layers compute in it.
    """

    batches: Sequence[Sequence[Example]]
    steps: int
    share: float
    rate: float
    bfloat16: bool


def plan(settings: TrainSettings, batches: Sequence[Sequence[Example]]) -> Plan:
    """The steps of a training by its settings."""
    steps = max(1, -int(-len(batches) * settings.epochs // _devices()))
    if settings.max_steps is not None:
        steps = min(steps, settings.max_steps)
    kind = "full" if settings.tune == "full" else "adapter"
    rate = settings.learning_rate or _RATES[method(settings)][kind]
    return Plan(batches, steps, steps * _devices() / len(batches), rate, _bfloat16(settings.precision))


def method(settings: TrainSettings) -> str:
    return "dpo" if isinstance(settings, TrainDpoSettings) else "sft"


def _devices() -> int:
    from accelerate import PartialState

    return int(PartialState().num_processes)


def _bfloat16(precision: Precision) -> bool:
    if precision == "float32":
        return False
    able = (
        torch.cuda.is_bf16_supported()
        if torch.cuda.is_available()
        else bool(torch.cpu.get_capabilities().get("avx512_bf16"))
    )
    if precision == "bfloat16" and not able:
        raise InputError(
            "this machine does not compute in bfloat16", where="--precision", hint="leave the option out"
        )
    return able


def trainer(
    settings: TrainSettings, start: Start, tokenizer: Any, plan: Plan, out: Path, live: TrainerCallback
) -> Any:
    """A trainer of TRL's.

    Args:
        out: the folder for checkpoints.
        live: gets each step.
    """
    model, adapter = open_weights(start, settings)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    shared: dict[str, Any] = {"train_dataset": dataset_of(plan.batches), "processing_class": tokenizer}
    shared |= {"callbacks": [live], "peft_config": adapter}
    config = _config(settings, plan, out)
    try:
        if isinstance(settings, TrainDpoSettings):
            reference = None
            if settings.tune == "full":
                reference, _ = open_weights(start, settings)
            made: Any = _Dpo(
                model,
                reference,
                DPOConfig(beta=settings.beta, **config),
                data_collator=pair_collator(pad),
                **shared,
            )
        else:
            made = _Sft(
                model,
                SFTConfig(dataset_kwargs={"skip_prepare_dataset": True}, **config),
                data_collator=collator(pad, packing=settings.packing),
                **shared,
            )
    except ValueError as error:
        if adapter is not None and "arget modules" in str(error):
            raise InputError(
                "the model has no layers q_proj, k_proj, v_proj and o_proj",
                where=settings.model,
                hint="give --tune lora-all",
            ) from error
        raise
    for callback in (PrinterCallback, ProgressCallback):
        made.remove_callback(callback)
    made.model.register_forward_pre_hook(_without_mask, with_kwargs=True)
    return made


def _without_mask(_: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Leave out the mask of padding: it is at the right, where a causal model does not look.

    With a mask, attention on a CPU takes a third longer.
    """
    return inputs, {**named, "attention_mask": None}


def _config(settings: TrainSettings, plan: Plan, out: Path) -> dict[str, Any]:
    """Settings of TRL that both methods have."""
    cuda = torch.cuda.is_available()
    return {
        "output_dir": str(out),
        "per_device_train_batch_size": 1,  # a row of the dataset is a batch
        "max_steps": plan.steps,
        "learning_rate": plan.rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": max(1, round(_RISE * plan.steps)),
        "bf16": plan.bfloat16,
        "gradient_checkpointing": settings.recompute,
        "save_strategy": "steps",
        "save_steps": settings.save_every or max(_APART, plan.steps // _SAVES),
        "save_total_limit": _KEPT,
        "logging_steps": 1,
        "seed": settings.seed % 2**32,
        "max_length": None,
        "remove_unused_columns": False,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": not cuda,
        "dataloader_pin_memory": cuda,
    }


@contextmanager
def taught_positions_only() -> Iterator[None]:
    """A block in which TRL computes logits only where a token carries loss, as it does on GPUs.

    On a CPU it computes those of all positions, for devices that must see one shape. With loss on a sixth of
    the tokens a step takes a quarter less without them.
    """
    before = trl_utils._use_triton
    trl_utils._use_triton = lambda device: device.type in ("cpu", "cuda")
    try:
        yield
    finally:
        trl_utils._use_triton = before


@contextmanager
def libraries_quiet() -> Iterator[None]:
    """A block without messages of the libraries about their versions and alignments."""
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logging.set_verbosity(before)
