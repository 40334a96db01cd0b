"""What decides which way an episode goes: what is asked for, what stands out, how others came here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.worksmith.models.analogy.garden import Show, call

Step = tuple[tuple[str, dict[str, str]], Any]

TOOLS = """jobs.by_bed(kind: str): Jobs by bed.
  kind: weeding, watering or pruning.
pick.top(numbers: str): The names with the largest number.
  numbers: Numbers by name.
pick.bottom(numbers: str): The names with the smallest number.
  numbers: Numbers by name.
stop(report: str): End the task."""


def by_bed(numbers: Mapping[str, int], kind: str = "weeding") -> Step:
    return ("jobs.by_bed", {"kind": kind}), {"ref": "r1", "size": len(numbers), "all": dict(numbers)}


def picked(tool: str, *beds: str) -> Step:
    return (tool, {"numbers": "r1"}), {"ref": "r2", "size": len(beds), "all": list(beds)}


def asked(text: str, *steps: Step) -> Show:
    return Show(text, steps, extra={"tools": TOOLS})


def told(report: str) -> tuple[str, dict[str, str]]:
    return "stop", {"report": report}


NUMBERS = {"bed-1001": 4, "bed-1002": 9, "bed-1003": 2}
EXTREMES = [
    Show("Which bed has the most jobs?", [by_bed(NUMBERS), picked("pick.top", "bed-1002")], told("bed-1002")),
    Show("Name the bed with the largest number of jobs.", [by_bed(NUMBERS)], told("bed-1002")),
    Show(
        "Which bed has the fewest jobs?",
        [by_bed(NUMBERS), picked("pick.bottom", "bed-1003")],
        told("bed-1003"),
    ),
    Show(
        "Name the bed with the smallest number of jobs.",
        [by_bed(NUMBERS), picked("pick.bottom", "bed-1003")],
        told("bed-1003"),
    ),
]
EXTREMES[1] = Show(EXTREMES[1].task, EXTREMES[0].steps, EXTREMES[0].last)


def test_other_words_for_an_extreme_choose_the_same_tool() -> None:
    for words, tool in (("highest", "pick.top"), ("lowest", "pick.bottom")):
        query = f"Which bed has the {words} number of jobs?"
        assert call(EXTREMES, asked(query, by_bed({"bed-2001": 1, "bed-2002": 3})))[0] == tool


def test_who_came_by_another_tool_used_alike_is_followed() -> None:
    steps = [by_bed({"bed-2001": 1, "bed-2002": 3}), picked("pick.top", "bed-2002")]

    assert call(EXTREMES[2:], asked("Which bed has the most jobs?", *steps)) == told("bed-2002")


def peak(kind: str, numbers: Mapping[str, int], *beds: str) -> Show:
    task = f"Does one bed have far more {kind} jobs than the others?"
    steps: Sequence[Step] = [by_bed(numbers, kind), *([picked("pick.top", *beds)] if beds else [])]
    return Show(task, steps, told(beds[0] if beds else "None"))


def test_what_is_far_ahead_is_told_from_what_is_not() -> None:
    demos = [
        peak("weeding", {"bed-1001": 6, "bed-1002": 2}, "bed-1001"),
        peak("watering", {"bed-1001": 3, "bed-1002": 8, "bed-1003": 1}, "bed-1002"),
        peak("pruning", {"bed-1001": 5, "bed-1002": 4}),
        peak("weeding", {"bed-1001": 3, "bed-1002": 3, "bed-1003": 1}),
        peak("pruning", {"bed-1004": 9, "bed-1005": 1, "bed-1002": 3}, "bed-1004"),
        peak("watering", {"bed-1004": 9, "bed-1006": 7}),
    ]
    query = "Does one bed have far more pruning jobs than the others?"

    assert call(demos, asked(query, by_bed({"bed-9": 7, "bed-8": 3}, "pruning")))[0] == "pick.top"
    assert call(demos, asked(query, by_bed({"bed-9": 7, "bed-8": 6}, "pruning"))) == told("None")


def test_what_another_episode_found_is_no_answer() -> None:
    lost = [by_bed({}), picked("pick.top"), (("jobs.by_bed", {"kind": "watering"}), "No such kind.")]

    assert call(EXTREMES, asked("Which bed has the most jobs?", *lost)) == told("")
