"""`worksmith power`: how many tasks a comparison needs, and how small a difference some tasks can show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.conftest import invoke
from worksmith.tools.errors import InputError


def planned(*options: object) -> dict[str, Any]:
    result = invoke("power", *options, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.slow
def test_tasks_points_and_power_agree() -> None:
    points = planned("--tasks", 200)["points"]
    needed = planned("--points", points)["tasks"]

    assert 5 < points < 20
    assert needed == pytest.approx(200, rel=0.05)
    assert planned("--tasks", 200, "--points", points)["power"] == pytest.approx(0.8, abs=0.02)


def test_more_trials_and_programs_that_agree_need_fewer_tasks() -> None:
    alone = planned("--points", 5)["tasks"]

    assert planned("--points", 5, "--trials", 4)["tasks"] < alone
    assert planned("--points", 5, "--agreement", 0.9)["tasks"] < alone
    assert planned("--points", 5, "--alike", 2)["tasks"] > alone


def test_a_plan_is_a_sentence_with_what_it_rests_on() -> None:
    said = " ".join(invoke("power", "--tasks", 100, "--points", 15, "--rate", 30).stdout.split())

    assert "100 tasks, one attempt at each, show a difference of 15 points" in said
    assert "the reference solves 30 %" in said


@pytest.mark.parametrize("options", [(), ("--rate", 40)])
def test_nothing_to_work_out_is_refused(options: tuple[object, ...]) -> None:
    error = invoke("power", *options).exception

    assert isinstance(error, InputError)
    assert "--tasks, --points or both" in str(error.hint)


@pytest.mark.slow
def test_a_race_is_planned_by_its_intents() -> None:
    raced = ("--race", "--per-intent", 2, "--candidates", 1, "--rate", 40)
    found = planned(*raced, "--intents", 40)

    assert 8 < found["points"] < 40
    assert planned(*raced, "--points", found["points"])["intents"] == pytest.approx(40, rel=0.1)
    assert planned(*raced, "--points", found["points"], "--intents", 40)["power"] == pytest.approx(
        0.8, abs=0.02
    )
    assert found["fewest_intents"] == 5


def test_a_race_with_too_few_intents_is_told_so() -> None:
    said = " ".join(invoke("power", "--race", "--intents", 6, "--per-intent", 50).stdout.split())

    assert "no difference that there is room for is found 8 times of 10" in said
    assert "below 7 intents it can accept nothing" in said


@pytest.mark.parametrize("options", [("--race",), ("--intents", 5), ("--race", "--tasks", 5, "--intents", 5)])
def test_races_are_about_intents(options: tuple[object, ...]) -> None:
    result = invoke("power", *options)

    assert isinstance(result.exception, InputError)
    assert "a race is over intents" in str(result.exception)
