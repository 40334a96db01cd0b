"""Baselines: floors under every result, and a ceiling, scored without any model.

A suite in which many tasks expect no change rewards doing nothing; one in which a share of the tasks is to be
denied rewards refusing everything. Every score should be read beside these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.retrievers.ranking.lexical import LexicalIndex
    from worksmith.tools.episode import Episode
    from worksmith.tools.tool import Tool

Attempt = Callable[["Task", "Episode"], tuple[str, str]]
"""Does a task in an episode; gives the status and the answer it ends with."""

_QUERY = "query"


@dataclass(frozen=True)
class Baseline:
    """The making of a baseline.

    Attributes:
        make: gives the attempt, from the tasks that may be learnt from.
        learns: whether those tasks make a difference.
    """

    make: Callable[[Sequence[Task]], Attempt]
    learns: bool = False

    @classmethod
    def of(cls, attempt: Attempt) -> Baseline:
        """A baseline that learns nothing."""
        return cls(lambda _: attempt)


def do_nothing(task: Task, episode: Episode) -> tuple[str, str]:
    return "", ""


def always_refuse(task: Task, episode: Episode) -> tuple[str, str]:
    """Report a denial and do nothing."""
    return "denied", ""


def keyword_search(task: Task, episode: Episode) -> tuple[str, str]:
    """Search once, with the tool described most like the task, and answer with the first record."""
    tools = tuple(tool for tool in episode.toolset.values() if _QUERY in tool.arguments and not tool.writes)
    if not tools:
        return "not_found", ""
    (hit,) = _index(tools).search(task.query, 1)
    record = _first_record(episode.call(hit.key, {_QUERY: task.query}).value)
    if record is None:
        return "not_found", ""
    return "answered", "; ".join(str(value) for value in record.values() if value not in (None, ""))


def oracle(task: Task, episode: Episode) -> tuple[str, str]:
    """Make the calls of the gold plan and give the expected answer."""
    for step in task.gold_plan or ():
        episode.call(step.tool, dict(step.arguments))
    return (task.answer.status, task.answer.text) if task.answer else ("answered", "")


@lru_cache(maxsize=16)
def _index(tools: tuple[Tool, ...]) -> LexicalIndex:
    from worksmith.retrievers.ranking.lexical import LexicalIndex

    return LexicalIndex({tool.name: f"{re.sub(r'[._]', ' ', tool.name)}: {tool.summary}" for tool in tools})


def _first_record(value: Any) -> dict[str, Any] | None:
    records = value.get("records") if isinstance(value, dict) else value
    first = records[0] if isinstance(records, list) and records else None
    return first if isinstance(first, dict) else None


OF_STATE: Mapping[str, Baseline] = {"do_nothing": Baseline.of(do_nothing)}
"""For kinds where only the world's state counts."""

OF_ANSWERS: Mapping[str, Baseline] = {
    "always_refuse": Baseline.of(always_refuse),
    "keyword_only": Baseline.of(keyword_search),
    "oracle": Baseline.of(oracle),
}
"""For kinds that judge answers."""
