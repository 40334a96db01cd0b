"""Telling which intent a task is of that was written elsewhere, and giving it a gold plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from evals.kinds.office.generate import GoldPlanError, execute, solve
from evals.kinds.office.intents.intent import Intent, Slots
from evals.kinds.office.intents.plan_recorder import ToolRefusedError
from evals.kinds.office.intents.registry import intent
from evals.kinds.office.mentions import Mention, Mentions, mentions
from evals.kinds.office.records import Records
from evals.tasks.task import Step, Task
from tools.environment import Environment
from tools.files.data_files import read_toml
from tools.world import World

_NOT_SOLVED = (ToolRefusedError, GoldPlanError, LookupError, ValueError, ArithmeticError, StopIteration)
"""What a script raises when a task is not what it was taken for."""


def with_gold_plans(world: World, tasks: Iterable[Task]) -> list[Task]:
    """`tasks`, those without a gold plan now with one where their intent was recognised.

    A plan is kept only if what it does is what the task expects, as corrected. A task's own intent and
    slots stay as they are.
    """
    records, env = Records(world), Environment(world, sandboxes=1)
    return [
        task.model_copy(update={"gold_plan": _gold_plan(task, records, env)})
        if task.gold_plan is None
        else task
        for task in tasks
    ]


def recognise(query: str, domains: Iterable[str], records: Records) -> tuple[Intent, Slots] | None:
    """The intent and the slots of a task's text, if it is like those of a known intent."""
    found = mentions(query, records)
    wanted, lower = set(domains), query.lower()
    for code, entry in _entries().items():
        one = intent(code)
        if set(one.domains) == wanted and all(re.search(p, lower) for p in entry.get("patterns", ())):
            slots = _fill(entry, found, query)
            if slots is not None:
                return one, slots
    return None


def _gold_plan(task: Task, records: Records, env: Environment) -> tuple[Step, ...] | None:
    recognised = recognise(task.query, task.domains, records)
    if recognised is None:
        return None
    expected = task.expected if task.corrected is None else task.corrected
    try:
        steps, outcome = solve(*recognised, task.query, env)
        return steps if outcome.matches(execute(expected, env)) else None
    except _NOT_SOLVED:
        return None


@cache
def _entries() -> Mapping[str, Mapping[str, str | list[str]]]:
    return read_toml(__package__, "recognition.toml")


def _fill(entry: Mapping[str, str | list[str]], found: Mentions, query: str) -> Slots | None:
    slots: dict[str, str] = {}
    for slot, places in entry.items():
        if slot == "patterns":
            continue
        options = [places] if isinstance(places, str) else places
        values = (_at(place, found, query, slots) for place in options)
        value = next((value for value in values if value is not None), None)
        if value is None:
            return None
        slots[slot] = value
    return slots


def _at(place: str, found: Mentions, query: str, slots: Slots) -> str | None:
    """The value at a place as `recognition.toml` writes it."""
    kind, _, where = place.partition(" ")
    of_kind = found[kind]
    if where == "other":
        candidates = [mention for mention in of_kind if mention.value not in slots.values()]
    elif where.startswith("after "):
        words = where.removeprefix("after ")
        candidates = [mention for mention in of_kind if _stands_after(mention, words, query)]
    else:
        candidates = of_kind[int(where) :]
    return candidates[0].value if candidates else None


def _stands_after(mention: Mention, words: str, query: str) -> bool:
    return query[: mention.start].lower().endswith(f"{words} ")
