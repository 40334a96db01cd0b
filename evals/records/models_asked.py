"""The usage of an episode by model: of the program's, and of other models of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from worksmith.evals.lm.prices import dollars
from worksmith.tools.episode_result import Usage

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.tools.episode_result import EpisodeResult


def usage_by_model(episode: EpisodeRecord | EpisodeResult, model: str) -> Mapping[str, Usage]:
    """The usage of each model, by its name.

    Args:
        model: the name of the program's, which has all usage that no question of another explains.
    """
    found: dict[str, Usage] = {}
    for ask in episode.asks:
        if ask.model:
            found[ask.model] = found.get(ask.model, Usage()) + ask.usage
    if not found:
        return {model: episode.usage}
    return {model: _less(episode.usage, sum(found.values(), start=Usage())), **found}


def record_dollars(episode: EpisodeRecord, model: str, *, paid: bool = False) -> float | None:
    """The price of the used or the paid tokens of an episode; None if a price is unknown."""
    spent = usage_by_model(episode, model).items()
    found = [dollars(name, *(usage.billed if paid else usage.tokens)) for name, usage in spent]
    known = [price for price in found if price is not None]
    return sum(known) if len(known) == len(found) else None


def calls_by_model(episode: EpisodeRecord | EpisodeResult, model: str) -> Mapping[str, int]:
    """The number of questions to each model, by its name; `model` as in `usage_by_model`."""
    others: dict[str, int] = {}
    for ask in episode.asks:
        if ask.model:
            others[ask.model] = others.get(ask.model, 0) + 1
    return {model: episode.model_calls - sum(others.values()), **others}


def _less(usage: Usage, other: Usage) -> Usage:
    """The rest of a usage, not below 0."""
    counts = [each.name for each in fields(Usage) if each.name not in ("estimated", "uncounted")]
    rest = {name: max(0, getattr(usage, name) - getattr(other, name)) for name in counts}
    return Usage(**rest, estimated=usage.estimated, uncounted=usage.uncounted)
