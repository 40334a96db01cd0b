"""What somebody may not read makes no difference to them.

Two worlds differ only in cells that the persona may not read; the same calls have to bring the same texts.
That covers what no token in a text would show: totals, ranks, the order of records, errors, denials.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.enterprise.canaries.hunt import Hunt, personas
from evals.enterprise.canaries.plant import Planted, plant
from evals.enterprise.canaries.world import NOW, broken_filter
from tests.tools.enterprise.small_world import small_rows
from tools.access.engine import AccessPolicy
from tools.desk import PRIVATE
from tools.enterprise.schema import KEYS, TABLES
from tools.persona import Persona
from tools.seeding import rng
from tools.workshop import Workshop
from tools.world import write_world

KNOWN = frozenset(
    {"emp_id", "sender_emp_id", "recipient_emp_id", "raised_by_emp_id", "repo_name", "path", "thread_id"}
) | {"status", "reports_to", "dol", "review_id"}
"""Cells that stay: references, what rules look at, who has left, and what ids are counted on from."""

CALLS = 120


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workshop, Planted]:
    planted = plant(small_rows())
    return _workshop(planted, tmp_path_factory.mktemp("one")), planted


def test_what_may_not_be_read_makes_no_difference(company: tuple[Workshop, Planted], tmp_path: Path) -> None:
    workshop, planted = company
    for who in personas(workshop, planted, 12):
        other = _workshop(_otherwise(workshop, planted, who), tmp_path / who.id)
        assert _differences(workshop, other, planted, who) == []


def test_a_filter_that_lets_everything_through_makes_one(
    company: tuple[Workshop, Planted], tmp_path: Path
) -> None:
    workshop, planted = company
    who = next(who for who in personas(workshop, planted, 100) if who.department == "FI")
    other = _workshop(_otherwise(workshop, planted, who), tmp_path)
    with broken_filter(workshop):
        assert _differences(workshop, other, planted, who)


def _differences(one: Workshop, other: Workshop, planted: Planted, who: Persona) -> list[str]:
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


def _otherwise(workshop: Workshop, planted: Planted, who: Persona) -> Planted:
    """The same world with other words wherever `who` may not read."""
    policy = workshop.policy
    assert isinstance(policy, AccessPolicy)
    rows = {}
    for table in TABLES:
        records = [dict(zip(table.columns, cells, strict=True)) for cells in planted.rows[table.name]]
        private = policy.private_fields(table.name)
        names = {f"{table.name}/{record[KEYS[table.name]]}" for record in records}
        hidden = workshop.unreadable(who, frozenset(names | {name + PRIVATE for name in names}))
        for number, record in enumerate(records):
            name = f"{table.name}/{record[KEYS[table.name]]}"
            for column, cell in record.items():
                secret = name in hidden or (column in private and name + PRIVATE in hidden)
                if secret and cell is not None and column not in KNOWN | {KEYS[table.name]}:
                    record[column] = _other(cell, number)
        rows[table.name] = [tuple(record.values()) for record in records]
    return Planted(rows, planted.spots)


def _other(cell: str, number: int) -> str:
    if cell.isdigit():
        return str(number % 7 + 1)
    return cell if cell[:4].isdigit() else "parser budget invoice payment " * (number % 3 + 1)


def _workshop(planted: Planted, directory: Path) -> Workshop:
    nobody = Persona(id="", name="")
    rows = planted.rows
    return Workshop(
        write_world(directory, TABLES, rows, kind="enterprise", origin="canaries", now=NOW, persona=nobody)
    )
