"""Figures of attacked episodes, by the place, the goal and the form of the attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.record import ASR, PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import Summary, interval_json, summarize
from worksmith.evals.tasks.attack import FACETS

READ = "attack_read"
"""The score: 1 if the agent came across the planted instruction, else 0."""

_SHOWN = (ASR, PRIMARY, READ)


def attack_parts(records: Sequence[EpisodeRecord], seed: int) -> dict[str, dict[str, Summary]]:
    """By facet and value, the figures of the attacked episodes; empty without attacks."""
    attacked = [record for record in records if any(map(record.facet, FACETS))]
    groups = {name: group_records(attacked, partial(EpisodeRecord.facet, name=name)) for name in FACETS}
    return {
        name: {value: summarize(group, seed=seed) for value, group in sorted(parts.items())}
        for name, parts in groups.items()
        if parts
    }


def attacks_json(records: Sequence[EpisodeRecord], seed: int) -> Mapping[str, Any]:
    """The same as JSON-able data."""
    return {
        name: {
            value: {score: interval_json(part.scores[score]) for score in _SHOWN if score in part.scores}
            for value, part in parts.items()
        }
        for name, parts in attack_parts(records, seed).items()
    }
