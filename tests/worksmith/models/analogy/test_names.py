"""Nothing depends on what tools, arguments, columns and fields are called."""

from __future__ import annotations

import pytest
from dspy.lm15 import Message, Request

from tests.worksmith.models.analogy.garden import Show, call, job, read, request
from tests.worksmith.models.analogy.test_follow import EACH, FIRST, RAIN, found, rained, searched
from worksmith.models.analogy import AnalogyEngine

NAMES = {
    "staff.find_badge": "zq1",
    "jobs.search": "aa.bb",
    "jobs.drop": "mm_7",
    "jobs.reassign": "p",
    "meters.rainfall": "x.y.z",
    "meters.sunshine": "k9",
    "board.post": "oo",
    '"job_id"': '"u"',
    "job_id:": "u:",
    '"badge"': '"v2"',
    "badge:": "v2:",
    '"due"': '"a_a"',
    '"name"': '"zz"',
    "name:": "zz:",
    "## task ##": "## alpha ##",
    "`task`": "`alpha`",
    "## tool ##": "## beta ##",
    "`tool`": "`beta`",
    "## arguments ##": "## gamma ##",
    "`arguments`": "`gamma`",
    "## observation ##": "## delta ##",
    "## context ##": "## omega ##",
    "`context`": "`omega`",
}

FOUND = found("Quentin", "b-88")
EPISODES = [
    (FIRST, Show("Please drop Quentin's oldest job.")),
    (FIRST, Show("Drop the oldest job of Quentin.", [FOUND])),
    (
        EACH,
        Show("Drop all jobs of Quentin.", [found("Quentin", "b-88"), searched("b-88", job(9, "2031-05-20"))]),
    ),
    (EACH, Show("Drop all jobs of Quentin.", [found("Quentin", "b-88"), searched("b-88")])),
    (RAIN, Show("If rainfall was more than 6 on any day since May 12, post 'A' saying 'B'.")),
    (
        RAIN,
        Show(
            "If rainfall was more than 6 on any day since May 12, post 'Rain' saying 'Wear boots'.",
            [rained("2031-05-12", 2, 7, 5)],
        ),
    ),
]


def renamed(text: str) -> str:
    for old, new in NAMES.items():
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(("demos", "query"), EPISODES)
def test_renaming_everything_changes_nothing_else(demos: list[Show], query: Show) -> None:
    plain = request(demos, query)
    turns = tuple(Message(turn.role, Message.user(renamed(turn.text or "")).parts) for turn in plain.messages)
    system = plain.system if isinstance(plain.system, str) else ""
    engine = AnalogyEngine()

    before = engine.complete(plain).message.text or ""
    after = engine.complete(Request("m", turns, system=renamed(system))).message.text or ""

    assert read(after) == read(renamed(before))


@pytest.mark.parametrize(("demos", "query"), EPISODES)
def test_order_of_demonstrations_of_one_kind_does_not_matter(demos: list[Show], query: Show) -> None:
    assert call(demos[::-1], query) == call(demos, query)
