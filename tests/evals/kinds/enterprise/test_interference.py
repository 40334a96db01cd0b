"""What somebody may not read makes no difference to them.

Two worlds differ only in cells that the persona may not read; the same calls have to bring the same texts.
That covers what no token in a text would show: totals, ranks, the order of records, errors, denials.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soundness.canary.hunt import Hunt, personas
from benchmarks.soundness.canary.plant import Planted, plant
from benchmarks.soundness.canary.world import NOW, broken_filter
from tests.tools.kinds.enterprise.small_world import small_rows
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.policy import private_part
from worksmith.tools.seeding import rng
from worksmith.tools.world import write_world

KNOWN = frozenset(
    {"emp_id", "sender_emp_id", "recipient_emp_id", "raised_by_emp_id", "repo_name", "path", "thread_id"}
) | {"status", "reports_to", "dol", "review_id"}
"""Cells that stay: references, what rules look at, who has left, and what ids are counted on from."""

CALLS = 120


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Planted]:
    planted = plant(small_rows())
    return _env(planted, tmp_path_factory.mktemp("one")), planted


@pytest.mark.slow
def test_what_may_not_be_read_makes_no_difference(
    company: tuple[Environment, Planted], tmp_path: Path
) -> None:
    env, planted = company
    for who in personas(env, planted, 12):
        other = _env(_otherwise(env, planted, who), tmp_path / who.id)
        assert _differences(env, other, planted, who) == []


def test_a_filter_that_lets_everything_through_makes_one(
    company: tuple[Environment, Planted], tmp_path: Path
) -> None:
    env, planted = company
    who = next(who for who in personas(env, planted, 100) if who.department == "FI")
    other = _env(_otherwise(env, planted, who), tmp_path)
    with broken_filter(env):
        assert _differences(env, other, planted, who)


def _differences(one: Environment, other: Environment, planted: Planted, who: Persona) -> list[str]:
    """The calls that do not bring the same in both worlds, all of one long episode."""
    hunt, random = Hunt(one, planted), rng(0, "interference", who.id)
    here, there = one.episode(persona=who), other.episode(persona=who)
    found = []
    calls: list[tuple[str, dict[str, str]]] = [
        (name, {"query": text, "limit": "1"})
        for name, tool in one.episode().toolset.items()
        if "query" in tool.arguments
        for text in ("parser budget payment", "VPN invoice release", "review of the fan")
    ]
    calls += [hunt.hostile_call(who, random) for _ in range(CALLS)]
    for tool, arguments in calls:
        seen = here.call(tool, arguments), there.call(tool, arguments)
        if seen[0] != seen[1]:
            found.append(f"{tool} {arguments}: {seen[0].text} / {seen[1].text}")
    return found


def _otherwise(env: Environment, planted: Planted, who: Persona) -> Planted:
    """The same world with other words wherever `who` may not read."""
    policy = env.policy
    assert isinstance(policy, AccessPolicy)
    rows = {}
    for table in TABLES:
        records = [dict(zip(table.columns, cells, strict=True)) for cells in planted.rows[table.name]]
        private = policy.private_fields(table.name)
        names = {f"{table.name}/{record[KEYS[table.name]]}" for record in records}
        hidden = env.unreadable(who, frozenset(names | set(map(private_part, names))))
        for number, record in enumerate(records):
            name = f"{table.name}/{record[KEYS[table.name]]}"
            for column, cell in record.items():
                secret = name in hidden or (column in private and private_part(name) in hidden)
                if secret and cell is not None and column not in KNOWN | {KEYS[table.name]}:
                    record[column] = _other(cell, number)
        rows[table.name] = [tuple(record.values()) for record in records]
    return Planted(rows, planted.spots)


def _other(cell: str, number: int) -> str:
    if cell.isdigit():
        return str(number % 7 + 1)
    return cell if cell[:4].isdigit() else "parser budget invoice payment " * (number % 3 + 1)


def _env(planted: Planted, directory: Path) -> Environment:
    nobody = Persona(id="", name="")
    rows = planted.rows
    return Environment(
        write_world(directory, TABLES, rows, kind="enterprise", origin="canaries", now=NOW, persona=nobody)
    )
