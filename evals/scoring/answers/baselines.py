"""What can be scored without any model where answers are judged: two floors, and a ceiling.

Where a share of the tasks is to be denied, refusing everything is worth that share; where records are
searched by meaning, one search finds something for everything. Every score should be read beside these.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from retrievers.ranking.lexical import LexicalIndex
    from tools.episode import Episode
    from tools.tool import Tool

_QUERY = "query"


def always_refuse(task: Task, episode: Episode) -> tuple[str, str]:
    """Says that everything is denied and does nothing."""
    return "denied", ""


def keyword_search(task: Task, episode: Episode) -> tuple[str, str]:
    """Searches once, in the source whose tool is described most like the task, and names what comes first.

    No plan, no second look: the answer is the values of the first record found.
    """
    tools = tuple(tool for tool in episode.toolset.values() if _QUERY in tool.arguments and not tool.writes)
    if not tools:
        return "not_found", ""
    (hit,) = _index(tools).search(task.query, 1)
    record = _first_record(episode.call(hit.key, {_QUERY: task.query}).value)
    if record is None:
        return "not_found", ""
    return "answered", "; ".join(str(value) for value in record.values() if value not in (None, ""))


def oracle(task: Task, episode: Episode) -> tuple[str, str]:
    """Makes the calls of the gold plan and gives the answer that the task expects."""
    for step in task.gold_plan or ():
        episode.call(step.tool, dict(step.arguments))
    return (task.answer.status, task.answer.text) if task.answer else ("answered", "")


@lru_cache(maxsize=16)
def _index(tools: tuple[Tool, ...]) -> LexicalIndex:
    from retrievers.ranking.lexical import LexicalIndex

    return LexicalIndex({tool.name: f"{re.sub(r'[._]', ' ', tool.name)}: {tool.summary}" for tool in tools})


def _first_record(value: Any) -> dict[str, Any] | None:
    records = value.get("records") if isinstance(value, dict) else value
    first = records[0] if isinstance(records, list) and records else None
    return first if isinstance(first, dict) else None
