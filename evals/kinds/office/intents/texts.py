"""Titles and texts that tasks ask to write."""

from __future__ import annotations

from functools import cache
from random import Random

from evals.kinds.office.intents.intent import Slots
from tools.files.data_files import read_toml


def draw_text(rng: Random, kind: str, slots: Slots | None = None) -> str:
    return rng.choice(_texts()[kind]).format_map(slots or {})


@cache
def _texts() -> dict[str, list[str]]:
    return read_toml(__package__, "texts.toml")
