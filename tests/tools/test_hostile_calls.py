"""No argument makes a tool of any world fail: what it cannot take, it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evals import small_office
from tests.tools.hostile import crashes, hostile_calls
from tests.tools.kinds.crm import worlds
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.enterprise.small_world import CEO, GITA, HR_MANAGER, small_rows, write_small_world
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.policy import SAM

CALLS = 1_200

World = tuple[Environment, list[str], list[str]]
"""With values that occur in it, and people who work in it."""


def office(directory: Path) -> World:
    rows = small_office.TABLE_ROWS.values()
    known = sorted({str(cell) for table in rows for row in table for cell in row if cell})
    return small_office.env(directory), known, [SAM.id]


def enterprise(directory: Path) -> World:
    known = sorted({str(cell) for rows in small_rows().values() for row in rows for cell in row if cell})
    return Environment.open(write_small_world(directory).path), known, [GITA, HR_MANAGER, CEO]


def crm(_directory: Path) -> World:
    rows = small().rows.values()
    known = sorted({str(cell) for table in rows for row in list(table)[:3] for cell in row if cell})
    return worlds.env(), [*known, "#1", "#2", "2024-01-01"], list(worlds.ROLES)


@pytest.mark.slow
@pytest.mark.parametrize("world", [office, enterprise, crm])
def test_no_argument_makes_a_tool_fail(world: Callable[[Path], World], tmp_path: Path) -> None:
    env, known, people = world(tmp_path)
    found = []
    for seed, person in enumerate(people):
        persona = env.persona(person) if env.kind.name != "office" else None
        episode = env.episode(persona=persona)
        tools = list(episode.toolset.values())
        found += crashes(episode, hostile_calls(tools, known, CALLS // len(people), seed))

    assert found == []


@pytest.mark.parametrize("name", ["word " * 1_000, " ".join(f"w{number}" for number in range(1_000))])
def test_a_name_of_a_thousand_words_is_nobody_s(name: str, tmp_path: Path) -> None:
    env = Environment.open(write_small_world(tmp_path).path)
    episode = env.episode(persona=env.persona(GITA))

    for tool, argument in (("employee_data.read", "name"), ("conversations.create", "recipient")):
        found = episode.call(tool, {argument: name, **({"text": "Hi"} if argument == "recipient" else {})})
        assert found.status in ("ok", "tool_error"), found.text
        assert len(found.text) < 10_000


def test_a_blob_is_shown_as_a_text(tmp_path: Path) -> None:
    env = Environment.open(write_small_world(tmp_path).path)
    episode = env.episode(persona=env.persona(GITA))

    assert episode.call("tables.query", {"sql": "SELECT X'ff' AS b"}).value["records"] == [{"b": "X'FF'"}]
