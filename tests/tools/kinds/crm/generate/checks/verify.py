"""Checks of a generated org by its records: sound, consistent, and saying what its truths say."""

from __future__ import annotations

from collections.abc import Iterator

from tests.tools.kinds.crm.generate.checks import articles, cases, conversations, prices, records
from worksmith.tools.kinds.crm.generate import Built


def verify(built: Built) -> list[str]:
    """What is wrong with a generated org; empty if nothing is."""
    return list(_problems(built))


def _problems(built: Built) -> Iterator[str]:
    found = list(records.problems(built))
    yield from found
    # The others rely on ids and references that the first found sound.
    for module in () if found else (prices, cases, articles, conversations):
        yield from module.problems(built)
