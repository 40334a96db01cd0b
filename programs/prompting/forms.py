"""The forms of prompts and replies: one setting of an agent, or that of a model's training."""

from __future__ import annotations

import re
from typing import Any

from worksmith.programs.prompting.tool_calling import itself
from worksmith.tools.errors import InputError, names_instead

OBSERVATION = 1_000
"""Characters of an observation in compact prompts, by default."""

SHORTEST, LONGEST = 50, 100_000

AUTO, TEXT, JSON, NATIVE, COMPACT = "auto", "text", "json", "native", "compact"

_SETTING = re.compile(rf"{AUTO}|{TEXT}|{JSON}|{NATIVE}|{COMPACT}(:[1-9]\d{{1,5}})?")


def check_prompt(setting: str) -> str:
    """The setting of a prompt's form, if there is such a one; else an `InputError`."""
    if not _SETTING.fullmatch(setting) or not SHORTEST <= _length(setting, OBSERVATION) <= LONGEST:
        raise InputError(
            f"no form of prompts {setting!r}",
            where="--prompt",
            hint=f"{names_instead(setting, (AUTO, TEXT, JSON, NATIVE, COMPACT))} and {COMPACT}:N, with "
            f"{SHORTEST} to {LONGEST:,} characters of each observation",
        )
    return setting


def compact_length(setting: str, lm: Any) -> int | None:
    """The most characters of an observation in compact prompts to a model; None if its prompts are not.

    Args:
        setting: see `check_prompt`. With `auto`, and with `native` in parts that make no calls, a model that
            was trained on compact prompts gets them.
    """
    if setting in (TEXT, JSON):
        return None
    trained: int | None = getattr(getattr(itself(lm), "engine", None), "compact_prompts", None)
    return _length(setting, trained or OBSERVATION) if setting.startswith(COMPACT) else trained


def _length(setting: str, otherwise: int) -> int:
    number = setting.partition(":")[2]
    return int(number) if number else otherwise
