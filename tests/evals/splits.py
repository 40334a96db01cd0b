"""What tasks of one split share with those of another, and should not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from worksmith.evals.tasks.task import Task, same_text

SPLITS = ("train", "dev", "test")
"""Twins of denied tasks have a split of their own, and ask the same on purpose."""


def in_two_splits(tasks: Sequence[Task]) -> set[Hashable]:
    """Texts of tasks, and intents with their values (who asks is one), that come in more than one split.

    Where whole intents are held out, also intents that do.
    """
    places: dict[Hashable, set[str]] = defaultdict(set)
    for task in tasks:
        if task.split in SPLITS:
            places["text", same_text(task.query)].add(task.split)
            asks = task.persona.id if task.persona else None
            places["values", task.intent, asks, *sorted(task.slots.items())].add(task.split)
            places["held out text", same_text(task.query)].add(task.held_out_split)
            places["held out", task.intent].add(task.held_out_split)
    return {what for what, splits in places.items() if len(splits) > 1}
