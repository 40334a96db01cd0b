"""Checks of a generated org by its records: sound, consistent, and saying what its truths say."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from tools.crm.generate.latent import Built

_CHECKS = ("check_records", "check_cases", "check_articles", "check_conversations")
"""Modules, each with a function `problems`."""


def verify(built: Built) -> list[str]:
    """What is wrong with a generated org; empty if nothing is."""
    return list(_problems(built))


def _problems(built: Built) -> Iterator[str]:
    for name in _CHECKS:
        yield from importlib.import_module(f"tools.crm.generate.{name}").problems(built)
