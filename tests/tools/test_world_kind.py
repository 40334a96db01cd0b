"""What a kind of world offers: toolkits by name, and less of it to agents that are to do without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.evals.help_desk import KIND
from worksmith.tools.errors import InputError

CATEGORISED = replace(
    KIND,
    shared_toolkits=("staff",),
    categories={"reading": ("read", "person"), "writing": ("update", "send")},
    stand_ins=("llm",),
)
ALL = ["tickets.read", "tickets.update", "staff.person", "staff.salary", "mail.send", "llm.call"]


def test_all_toolkits_and_some_of_them() -> None:
    assert list(CATEGORISED.toolset(None)) == ALL
    assert list(CATEGORISED.toolset(["tickets"])) == ALL[:4]


def test_without_a_category_there_are_its_stand_ins() -> None:
    assert list(CATEGORISED.toolset(["tickets"], ["reading"])) == [
        "tickets.update",
        "staff.salary",
        "llm.call",
    ]
    assert list(CATEGORISED.toolset(["tickets"], ["reading", "writing"])) == ["staff.salary", "llm.call"]
    assert list(CATEGORISED.toolset(None, ["writing"])) == [ALL[0], *ALL[2:4], ALL[5]]


def test_a_category_that_is_not_there() -> None:
    with pytest.raises(InputError, match="reading, writing"):
        CATEGORISED.toolset(None, ["reeding"])
    with pytest.raises(InputError, match="no category of tools"):
        KIND.toolset(None, ["reading"])
