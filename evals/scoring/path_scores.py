"""Scores of an episode's path: the records it read, the tools it called, the plan it followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import CallRecord, EpisodeResult
    from worksmith.tools.sqlite.schema import Table

PATH_SCORES = frozenset({"retrieval_recall", "tool_precision", "tool_recall", "plan_alignment"})
"""The names of the scores of `path_scores`."""

REFUSED = "refused"
"""The status of a call that the agent's own access checker refused."""


def path_scores(task: Task, episode: EpisodeResult, tables: Sequence[Table]) -> dict[str, float]:
    """Scores from 0 to 1, if the task has what they need.

    Returns:
        `retrieval_recall` of the records that the answer needs; `tool_precision` and `tool_recall` of the
        gold plan's calls, by tool, in any order; `plan_alignment`, the longest common subsequence of tools
        as a share of the longer sequence.
    """
    scores: dict[str, float] = {}
    calls = made_calls(episode)
    if task.must_read:
        seen = records_seen(calls, tables)
        scores["retrieval_recall"] = len(seen & set(task.must_read)) / len(set(task.must_read))
    if task.gold_plan:
        called, wanted = [call.tool for call in calls], [step.tool for step in task.gold_plan]
        shared = (Counter(called) & Counter(wanted)).total()
        scores["tool_precision"] = shared / len(called) if called else 0.0
        scores["tool_recall"] = shared / len(wanted)
        scores["plan_alignment"] = _in_order(called, wanted) / max(len(called), len(wanted))
    return scores


def made_calls(episode: EpisodeResult) -> list[CallRecord]:
    """The calls of an episode without those that its own checker refused."""
    return [call for call in episode.calls if call.observation.status != REFUSED]


def records_seen(calls: Iterable[CallRecord], tables: Sequence[Table]) -> set[str]:
    """The references (`source/key`) of the records that the calls returned.

    A row belongs to the table whose key it has and with which it shares most columns.
    """
    found: set[str] = set()
    for call in calls:
        if call.observation.status == "ok":
            for row in _rows(call.observation.value):
                table = _table_of(row, tables)
                if table is not None:
                    found.add(f"{table.name}/{row[table.columns[0]]}")
    return found


def _rows(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _rows(item)


def _table_of(row: dict[str, Any], tables: Sequence[Table]) -> Table | None:
    keyed = [table for table in tables if row.get(table.columns[0]) is not None]
    # Of equals the table with fewer columns: a row of two columns is the whole of a small record.
    return max(
        keyed, key=lambda table: (len(row.keys() & set(table.columns)), -len(table.columns)), default=None
    )


def _in_order(called: Sequence[str], wanted: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    best = [0] * (len(wanted) + 1)
    for tool in called:
        before = best[:]
        for n, name in enumerate(wanted, start=1):
            best[n] = before[n - 1] + 1 if tool == name else max(before[n], best[n - 1])
    return best[-1]
