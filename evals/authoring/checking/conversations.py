"""Whether a gold plan can know its values: from the request, its own reads, and the user's replies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import apsw

from worksmith.evals.authoring.checking.findings import Finding, Level, finding
from worksmith.evals.authoring.plan_recorder import leaves
from worksmith.retrievers.texts.words import folded, words
from worksmith.tools.sqlite.schema import quoted
from worksmith.tools.user import GOODBYE, named
from worksmith.tools.user_tool import ASK_USER

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode import Episode

_LONGEST = 5
"""The most words of a text that is checked as a whole; of longer ones only ids and numbers are."""

_NUMBER = re.compile(r"-?[\d.]+")
"""An agent may have computed it."""


def conversation_findings(env: Environment, task: Task, episode: Episode, part: str) -> Iterator[Finding]:
    """The faults of the conversation in an executed plan of a task with a user."""
    if task.user is None:
        return
    shown = [task.query, task.context, f"{episode.now:%Y-%m-%d %H:%M}", episode.persona.model_dump_json()]
    message = ""
    for number, call in enumerate(episode.calls):
        if call.tool == ASK_USER.name:
            message = str(call.observation.value)
        elif call.tool in episode.toolset:
            known = "\n".join((*shown, episode.toolset[call.tool].text))
            for value in dict.fromkeys(leaves(call.arguments)):
                if lacking := [text for text in _given(value) if not all(named(known, [text]))]:
                    recorded = all(_is_recorded(env, text) for text in lacking)
                    where = "only records that it has not read have" if recorded else "nothing gives"
                    level: Level = "note" if recorded or _NUMBER.fullmatch(value) else "wrong"
                    yield finding(level, task, f"{part}.{number}", f"{where} the value {value!r}")
        shown += leaves(call.observation.value, keys=True)
    if message != GOODBYE:
        why = f"the user's last words are {message!r}" if message else f"no step calls {ASK_USER.name}"
        yield finding("note", task, part, f"the conversation does not end: {why}")


def _given(value: str) -> list[str]:
    """The texts in an argument that an agent cannot make up: the whole, or its ids and numbers."""
    if value in ("True", "False"):
        return []
    parts = words(value)
    if len(parts) <= _LONGEST and any(map(str.isalpha, value)):
        return [value]
    return [part for part in parts if any(map(str.isdigit, part))]


def _is_recorded(env: Environment, text: str) -> bool:
    """Whether some record of the world has a text."""

    def look(connection: apsw.Connection) -> bool:
        for table in env.kind.tables:
            has = " OR ".join(f"instr(lower({quoted(column)}), ?1)" for column in table.columns)
            query = f"SELECT EXISTS (SELECT 1 FROM main.{quoted(table.name)} WHERE {has})"
            if connection.execute(query, (folded(text),)).get:
                return True
        return False

    return env.episode(rehearsal=True).edit(look)
