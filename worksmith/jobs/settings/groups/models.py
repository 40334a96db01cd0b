"""Settings of the models that are asked."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from worksmith.evals.lm.named import APPRENTICE, DEFAULT, SMOLLM2
from worksmith.jobs.settings.base import JobSettings, setting, with_model_options
from worksmith.models.fetching.catalogue import catalogue

MODELS = (
    APPRENTICE,
    SMOLLM2,
    "gguf:",
    *catalogue(),
    "gold",
    "replay:",
    "openai/gpt-4o-mini",
    "ollama_chat/llama3.2",
)


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


class NamedModelSettings(JobSettings):
    """The model, without a cache of its replies."""

    group = "Program and model"

    lm: str = setting(
        DEFAULT,
        f"Model: {APPRENTICE}, gold, gguf:FILE, replay:FILE, package.module:lm, or any DSPy model name.",
        suggest=MODELS,
        unset=APPRENTICE,
    )
    lm_option: tuple[str, ...] = model_options("lm")

    @model_validator(mode="before")
    @classmethod
    def _with_lm_options(cls, values: Any) -> Any:
        return with_model_options(cls, values, "lm")


class ModelSettings(NamedModelSettings, CacheSettings):
    group = "Program and model"
