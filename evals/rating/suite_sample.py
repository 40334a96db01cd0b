"""Tasks and records of suites to rate, mixed so that raters cannot tell the suites apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from worksmith.evals.rating.ratings import Rating, read_ratings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.cells import cell_text

RATINGS_FILE = "ratings.jsonl"
"""The ratings of a suite's tasks and records, in its folder."""

Rated = Literal["task", "record"]


class SampledText(NamedTuple):
    """A task or a record to rate, with the number of its suite, which raters do not see.

    Attributes:
        key: id of the task, or reference (`table/key`) of the record.
        text: what raters read, by name of the part.
    """

    suite: int
    key: str
    text: Mapping[str, str]


def draw_texts(
    suites: Sequence[Suite], rated: Rated, count: int, *, rater: str, seed: int = 0
) -> list[SampledText]:
    """At most `count` of each suite, in an order by rater; the seed alone draws them.

    Fields of work (or tables) take turns, so that each is there.
    """
    drawn: list[SampledText] = []
    for number, suite in enumerate(suites):
        piles = _tasks(suite, number) if rated == "task" else _records(suite, number)
        drawn += _in_turns(piles, count, seed)
    rng(seed, "rate", rated, rater).shuffle(drawn)
    return drawn


def _tasks(suite: Suite, number: int) -> dict[str, list[SampledText]]:
    kind = task_kind(suite.manifest.kind)
    piles: dict[str, list[SampledText]] = {}
    for task in suite.tasks:
        who = {"asked by": task.persona.name} if task.persona else {}
        text = {"task": task.query, **who}
        pile = piles.setdefault(kind.field_of_work(task) or (task.intent or ""), [])
        pile.append(SampledText(number, task.id, text))
    return piles


def _records(suite: Suite, number: int) -> dict[str, list[SampledText]]:
    piles: dict[str, list[SampledText]] = {}
    for table in suite.env.kind.tables:
        for row in suite.world.rows(table.name, table.columns):
            cells = {name: cell_text(value) for name, value in row.items() if value is not None}
            key = f"{table.name}/{next(iter(cells.values()), '')}"
            piles.setdefault(table.name, []).append(SampledText(number, key, cells))
    return piles


def _in_turns(piles: Mapping[str, list[SampledText]], count: int, seed: int) -> list[SampledText]:
    order = sorted(piles)
    rng(seed, "rate", "piles").shuffle(order)
    for name in order:
        rng(seed, "rate", name).shuffle(piles[name])
    longest = max(map(len, piles.values()), default=0)
    turns = (piles[name][place] for place in range(longest) for name in order if place < len(piles[name]))
    return [one for one, _ in zip(turns, range(count), strict=False)]


def rated_tasks(suite: Suite, least: float) -> frozenset[str]:
    """The ids of the tasks whose mean level over all raters and scales is at least `least`."""
    levels: dict[str, list[int]] = {}
    for rating in ratings_of(suite.path):
        if rating.task_id:
            levels.setdefault(rating.task_id, []).append(rating.level)
    if not levels:
        hint = f"worksmith rate {suite.path} --tasks --rater NAME"
        raise InputError("its tasks have no ratings", where=str(suite.path), hint=hint)
    found = frozenset(key for key, given in levels.items() if sum(given) / len(given) >= least)
    if not found:
        raise InputError(f"none of {len(levels)} rated tasks has a mean level of {least:g}", where="--rated")
    return found


def ratings_of(suite: Path) -> list[Rating]:
    return read_ratings(suite / RATINGS_FILE)
