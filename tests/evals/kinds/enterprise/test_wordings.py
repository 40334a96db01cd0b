"""The wording of goals: complete, disjoint, and without what an agent has to find out."""

from __future__ import annotations

import re
from collections import Counter
from string import Formatter

import pytest

from tests.evals.kinds.enterprise import speech
from worksmith.evals.kinds.enterprise.filling.denials import REASONS
from worksmith.evals.kinds.enterprise.filling.quotas import cells, denied_places
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.kinds.enterprise.goals.groups import read_entries
from worksmith.evals.kinds.enterprise.goals.plan_recorder import READERS
from worksmith.evals.kinds.enterprise.goals.registry import goals

GOALS = goals()


def test_there_are_about_as_many_goals_as_the_published_system_has() -> None:
    wordings = {id(goal.wording) for goal in GOALS}
    assert len(wordings) >= 60


def slots(goal: Goal) -> set[frozenset[str]]:
    """The slots of each phrasing."""
    return {
        frozenset(name for _, name, _, _ in Formatter().parse(phrasing) if name is not None)
        for phrasings in goal.wording.phrasings.values()
        for phrasing in phrasings
    }


def test_phrasings_use_the_same_slots() -> None:
    assert {goal.id: used for goal in GOALS if len(used := slots(goal)) != 1} == {}


def test_no_phrasing_is_in_two_splits_or_names_a_tool() -> None:
    places: dict[str, set[tuple[str, str]]] = {}
    for goal in GOALS:
        for split, phrasings in goal.wording.phrasings.items():
            for phrasing in phrasings:
                places.setdefault(phrasing, set()).add((split, goal.id.partition(".")[2]))
                assert not any(tool in phrasing for tool in READERS.values())
                assert not re.search(r"\b\w+\.(?:read|create|update|delete)\b", phrasing)
    twice = {phrasing: where for phrasing, where in places.items() if len(where) > 1}
    assert not twice


def test_searching_goals_say_their_answer_in_a_sentence() -> None:
    silent = [goal.id for goal in GOALS if goal.type == "search" and not goal.wording.says]
    assert not silent


def test_goals_belong_to_cells_of_the_table() -> None:
    known = set(cells(500))
    asked = Counter((goal.area, goal.subarea, goal.type) for goal in GOALS)
    assert {place for place in asked if not any((c.area, c.subarea, c.type) == place for c in known)} == set()


def test_reasons_are_known() -> None:
    assert {reason for goal in GOALS for reason in goal.denials} <= set(REASONS)
    assert {slot.denial for slot in denied_places(500)} == set(REASONS)


def test_who_may_be_denied_for_being_concerned_says_so_in_first_person() -> None:
    for goal in GOALS:
        assert bool(goal.wording.own) == ("self_protection" in goal.denials), goal.id
        for said in (text for split in goal.wording.own.values() for text in split):
            assert "{name}" not in said
            assert re.search(r"\b(?:my|me|I)\b", said, re.IGNORECASE)


def test_who_could_be_either_of_two_people_is_drawn_both_ways() -> None:
    """Two people and then "that person": the wording is clear, or the goal declares the other reading."""
    unclear = [
        phrasing
        for goal in GOALS
        if not goal.readings
        for phrasings in goal.wording.phrasings.values()
        for phrasing in phrasings
        if speech.could_mean_two(phrasing)
    ]
    assert not unclear


def test_too_few_phrasings_are_refused() -> None:
    phrasings = {"test": ["a", "b"], "train": ["c", "d"], "dev": ["e"]}
    data = {"areas": {}, "subarea": "", "x": {"steps": 1, **phrasings}}
    with pytest.raises(ValueError, match="fewer than 3"):
        read_entries("bizops.toml", data)
