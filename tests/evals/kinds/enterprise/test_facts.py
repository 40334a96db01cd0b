"""What is true in a world, from its rows and latent facts."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.tools.kinds.enterprise.small_world import (
    COMPANY,
    GITA,
    LEAD,
    LEFT,
    MANAGER,
    NOW,
    PEOPLE,
    small_rows,
)
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.filling.solved import near_misses
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.latent import Built


@pytest.fixture(scope="module")
def facts() -> Facts:
    first = COMPANY["conversations"][0]["conversation_id"]
    truths = [Latent(f"conversations/{first}", "status", {"due": "2022-03-04"}, ("products/P1",))]
    return Facts(Built(small_rows(), truths), NOW)


def test_rows_are_found_by_cells_and_missing_cells_are_empty(facts: Facts) -> None:
    row = facts.get("employees", GITA)
    assert row is not None
    assert row["name"] == PEOPLE[GITA]["name"]
    assert None not in row.values()
    assert row in facts.where("employees", department=row["department"], level=row["level"])
    assert facts.get("employees", "emp_9999") is None
    assert facts.at(f"employees/{GITA}") == row


def test_who_has_left_is_not_active(facts: Facts) -> None:
    assert LEFT in {row["emp_id"] for row in facts.left}
    assert LEFT not in {row["emp_id"] for row in facts.active}
    assert facts.colleague(LEFT) is None
    assert len(facts.active) + len(facts.left) == len(PEOPLE)


def test_a_world_in_which_nobody_has_come_yet_has_nobody_active() -> None:
    assert not Facts(Built(small_rows(), []), datetime(1990, 1, 1)).active


def test_managers_and_all_above(facts: Facts) -> None:
    boss = PEOPLE[GITA]["reports_to"]
    manager = facts.manager(GITA)
    assert manager is not None
    assert manager["emp_id"] == boss
    assert {boss, PEOPLE[boss]["reports_to"]} <= facts.above(GITA)
    assert GITA not in facts.above(GITA)
    assert MANAGER in facts.above(LEAD)


def test_staff_leaves_out_executives_and_other_departments(facts: Facts) -> None:
    assert {row["department"] for row in facts.staff(("SA", "HR"))} == {"SA", "HR"}
    assert {row["level"] for row in facts.staff(levels=("10",))} == {"10"}
    assert not {row["department"] for row in facts.staff()} & {"CE", "CT", "CO"}


def test_latent_facts_by_record_and_kind(facts: Facts) -> None:
    key = COMPANY["conversations"][0]["conversation_id"]
    assert facts.fact("conversations", key, "due") == "2022-03-04"
    assert facts.fact("conversations", key, "budget") is None
    assert facts.kinds("conversations") == ["status"]
    assert [latent.ref for latent in facts.latents("conversations", "status")] == [f"conversations/{key}"]
    assert facts.latent("conversations", key, "decision") is None


def test_near_misses_share_something(facts: Facts) -> None:
    engineer = near_misses(facts, f"employees/{GITA}")
    assert engineer >= 2
    assert near_misses(facts, "employees/emp_9999") == 0
