"""Tasks over the help desk of `tests.evals.help_desk`, as a user writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.evals import help_desk
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.kinds.own_data.task import OwnTask
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult

CLOSE = {"tool": "update", "arguments": {"ticket_id": "1001", "status": "resolved"}}


def env(directory: Path) -> Environment:
    return help_desk.env(directory)


def task(env: Environment, **fields: Any) -> OwnTask:
    """The task of one line; the persona is Asha, who works on ticket 1001."""
    (found,) = read_own_tasks(env, [{"query": "Do it.", "persona": "emp_0001", **fields}])
    return found


def write(file: Path, *lines: Any) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def episode(
    env: Environment,
    *calls: tuple[str, dict[str, Any]],
    answer: str = "",
    status: str = "answered",
    persona: str = "emp_0001",
    ended: str = "finished",
) -> EpisodeResult:
    """What an episode leaves in which these calls were made."""
    opened = env.episode(persona=env.persona(persona))
    for name, arguments in calls:
        opened.call(name, arguments)
    return EpisodeResult(
        ended,  # type: ignore[arg-type]
        opened.outcome(),
        calls=opened.calls,
        answer=answer,
        answer_status=status,
    )
