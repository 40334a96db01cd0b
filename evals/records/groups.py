"""Groups of episode records: by task, intent, field of work and other facets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from worksmith.evals.records.record import PRIMARY, STRICT, EpisodeRecord
from worksmith.tools.seeding import rng

Key = TypeVar("Key")
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, in their order."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def by_task(records: Iterable[EpisodeRecord], score: str) -> dict[Hashable, list[float]]:
    """The values of a score, grouped by task; records without it are left out.

    `outcome_strict` is every record's `outcome`, 0 if it is missing; tasks that only a judge scores have
    no value.
    """
    if score == STRICT:
        checked = (record for record in records if not record.labels.words_only)
        return grouped((record.task_id, record.scores.get(PRIMARY, 0.0)) for record in checked)
    scored = (record for record in records if record.graded and score in record.scores)
    return grouped((record.task_id, record.scores[score]) for record in scored)


FEWEST_INTENTS = 5
"""The fewest intents whose spread can widen an interval."""


def intent_or_task(intent: str | None, task_id: str) -> tuple[str, str]:
    """The group of a task: its intent, or the task alone."""
    return ("intent", intent) if intent else ("task", task_id)


def dealt(tasks: Iterable[tuple[str, str | None]], seed: int) -> list[list[str]]:
    """The ids of tasks by intent, the intents in an order that depends on the seed and their names only.

    Args:
        tasks: the id and the intent of each task.
    """
    named = sorted(tasks, key=lambda task: task[0])
    intents = grouped((intent_or_task(intent, name), name) for name, intent in named)
    ordered = [intents[name] for name in sorted(intents)]
    rng(seed, "race").shuffle(ordered)
    return ordered


def intents_of(records: Iterable[EpisodeRecord]) -> dict[Hashable, Hashable] | None:
    """The intent of each task; None if grouping by intent is useless.

    That is so if no two tasks share an intent, if there are fewer than `FEWEST_INTENTS`, and if the intents
    are a whole list, such as the task types of a published one.
    """
    intents: dict[Hashable, Hashable] = {}
    for record in records:
        if record.labels.closed_intents:
            return None
        intents[record.task_id] = intent_or_task(record.intent, record.task_id)
    return telling(intents)


def telling(intents: dict[Hashable, Hashable]) -> dict[Hashable, Hashable] | None:
    """The intents of tasks, if grouping by them is useful."""
    distinct = len(set(intents.values()))
    return intents if FEWEST_INTENTS <= distinct < len(intents) else None


def group_records(
    records: Iterable[EpisodeRecord], facet: Callable[[EpisodeRecord], str]
) -> dict[str, list[EpisodeRecord]]:
    """Records by a facet, in its order."""
    return dict(sorted(grouped((facet(record), record) for record in records).items()))


def domain_of(record: EpisodeRecord) -> str:
    """The one domain of a task, `several` or `none`."""
    return record.domains[0] if len(record.domains) == 1 else "several" if record.domains else "none"


def field_of(record: EpisodeRecord) -> str:
    """The field of work of a task, by its kind; else its domain."""
    return record.labels.field or domain_of(record)


def actions_of(record: EpisodeRecord) -> str:
    """The number of writing calls that the task expects, grouped as in the paper."""
    return "2 or more" if record.expected_actions > 1 else str(record.expected_actions)
