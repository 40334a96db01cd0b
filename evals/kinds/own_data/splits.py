"""Splits of tasks without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from worksmith.evals.tasks.task import Split
from worksmith.tools.seeding import digest

_SHARES: Mapping[Split, int] = {"train": 2, "dev": 1, "test": 2}
_TURN: tuple[Split, ...] = ("train", "test", "dev", "test", "train")


def deal(intents: Mapping[str, str], seed: int = 0) -> dict[str, Split]:
    """Split tasks so that every intent is in every split, as far as it has tasks.

    Args:
        intents: the intent of each task by id; that of a task without one is its id.

    Returns:
        The split of each task: 40 % train, 20 % dev, 40 % test.
    """
    order = sorted(intents, key=lambda task: (digest([seed, intents[task]]), digest([seed, task])))
    return {task: _TURN[place % len(_TURN)] for place, task in enumerate(order)}


def deal_intents(intents: Mapping[str, str], seed: int = 0) -> dict[str, Split]:
    """Split tasks so that every intent is in one split only, with the shares of `deal`."""
    sizes = Counter(intents.values())
    room: dict[Split, float] = dict.fromkeys(_SHARES, 0.0)
    found: dict[str, Split] = {}
    for intent in sorted(sizes, key=lambda name: (-sizes[name], digest([seed, name]))):
        split = min(room, key=lambda name: (room[name], tuple(room).index(name)))
        found[intent] = split
        room[split] += sizes[intent] / _SHARES[split]
    return {task: found[intent] for task, intent in intents.items()}
