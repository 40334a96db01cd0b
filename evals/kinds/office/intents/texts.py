"""Titles and texts that tasks ask to write."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from worksmith.evals.kinds.office.intents.intent import Slots
from worksmith.tools.files.data_files import read_toml


def draw_text(rng: Random, kind: str, slots: Slots | None = None) -> str:
    texts: list[str] = _texts()[kind]
    return rng.choice(texts).format_map(slots or {})


def draw_message(rng: Random, name: str) -> tuple[str, str]:
    """A subject and a fitting text to a person."""
    messages: dict[str, list[str]] = _texts()["messages"]
    subject = rng.choice(list(messages))
    return subject, rng.choice(messages[subject]).format(name=name)


def draw_task_name(rng: Random, board: str) -> str:
    names: dict[str, list[str]] = _texts()["task_names"]
    return rng.choice(names[board])


@cache
def _texts() -> dict[str, Any]:
    return read_toml(__package__, "texts.toml")
