"""Samples to rate: the same tasks of every run, mixed so that raters cannot tell the runs apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import LoadedRun
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import rng


class SampledEpisode(NamedTuple):
    """An episode to rate with the number of its run, which raters do not see."""

    run: int
    record: EpisodeRecord


def draw_sample(runs: Sequence[LoadedRun], tasks: int, *, rater: str, seed: int = 0) -> list[SampledEpisode]:
    """The first attempts of every run at the same tasks, at most `tasks`, in an order by rater.

    The seed alone draws the tasks, so that all raters get the same. Intents take turns, so that each is
    there. Lost episodes show nothing to rate.

    Args:
        tasks: the most tasks to draw.
        rater: decides the order.
    """
    firsts = [
        {record.task_id: record for record in run.records if record.trial == 0 and record.graded}
        for run in runs
    ]
    shared = set.intersection(*(set(first) for first in firsts))
    if not shared:
        raise InputError(
            "the runs have no graded task in common", hint="name runs of the same suite and split"
        )
    chosen = _in_turns({task: firsts[0][task].intent or "" for task in shared}, tasks, seed)
    shown = [SampledEpisode(run, first[task]) for task in chosen for run, first in enumerate(firsts)]
    rng(seed, "rate", rater).shuffle(shown)
    return shown


def _in_turns(intents: dict[str, str], count: int, seed: int) -> list[str]:
    """At most `count` tasks: one of each intent in turn, by lot within an intent and among intents."""
    piles: dict[str, list[str]] = {}
    for task in sorted(intents):
        piles.setdefault(intents[task], []).append(task)
    order = sorted(piles)
    rng(seed, "rate", "intents").shuffle(order)
    for intent in order:
        rng(seed, "rate", intent).shuffle(piles[intent])
    chosen: list[str] = []
    while len(chosen) < min(count, len(intents)):
        chosen += [piles[intent].pop() for intent in order if piles[intent]]
    return chosen[:count]
