"""Checks of a generated org by its records: sound, consistent, and saying what its truths say."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from tools.kinds.crm.generate.latent import Built

_FIRST = "check_records"
_OTHERS = ("check_prices", "check_cases", "check_articles", "check_conversations")
"""Modules with a function `problems`. The others rely on ids and references that the first found sound."""


def verify(built: Built) -> list[str]:
    """What is wrong with a generated org; empty if nothing is."""
    return list(_problems(built))


def _problems(built: Built) -> Iterator[str]:
    found = _check(built, _FIRST)
    yield from found
    for name in () if found else _OTHERS:
        yield from _check(built, name)


def _check(built: Built, name: str) -> list[str]:
    return list(importlib.import_module(f"tools.kinds.crm.generate.{name}").problems(built))
