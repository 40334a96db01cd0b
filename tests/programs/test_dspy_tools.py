"""An episode's tools as tools of DSPy's."""

from __future__ import annotations

from programs.dspy_tools import dspy_tool
from tests.tools.notes import KIT, episode


def test_a_dspy_tool_acts_in_the_episode() -> None:
    mine = episode()

    answer = dspy_tool(KIT.tools[1], mine)(text="eggs")

    assert answer == "n3"
    assert [call.tool for call in mine.calls] == ["notes.add"]
