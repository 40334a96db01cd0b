"""Tasks as the rows of plain examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from programs.prompting.prompt import context_text, with_policies
from tools.persona import Attributes

if TYPE_CHECKING:
    from evals.suite import Suite
    from evals.tasks.task import Task

INPUTS = ("id", "query", "context")
"""The fields of a row that a program gets."""


def rows_of(suite: Suite, tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """The visible parts of tasks as JSON-able rows; no expectation is in them.

    A row has the `INPUTS`: the id, the request, and the context of an agent's prompt (the clock, the person
    and the policies). Beside them it has `persona`, `now`, `intent` and `domains`, for tables and filters.
    """
    return [_row(suite, task) for task in tasks]


def _row(suite: Suite, task: Task) -> dict[str, Any]:
    episode = suite.env.episode(task.domains, persona=task.persona, now=task.now)
    persona = episode.persona.model_copy(update={"attributes": Attributes()})
    clock = context_text(episode.now, persona, episode.kind.departments)
    return {
        "id": task.id,
        "query": task.query,
        "context": with_policies(clock, task.context),
        "persona": persona.model_dump(mode="json", exclude_defaults=True),
        "now": episode.now.isoformat(),
        "intent": task.intent or "",
        "domains": list(task.domains),
    }
