"""Which demonstrations a task is like, and which of them did the same kind of thing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.worksmith.models.analogy.garden import NOW, Show, job, request
from tests.worksmith.models.analogy.test_follow import dropped, found, posted, searched
from worksmith.models.analogy.demonstrations.library import Library, library
from worksmith.models.analogy.reading.prompt import read_request
from worksmith.models.analogy.reading.task import read_task

NOTICES = [
    Show("Put up 'Wet paths' with the words 'Stay in' under it.", [posted("Wet paths", "Stay in")]),
    Show("Put up 'Gate' with the words 'Keep it shut' under it.", [posted("Gate", "Keep it shut")]),
    Show("Every notice of Milo's should now be on hold.", [posted("Milo", "On hold")]),
]


def shown(demos: Sequence[Show]) -> Library:
    """The demonstrations as the engine prepares them."""
    prompt = read_request(request(demos, Show("Anything.")))
    return library(prompt.demos, prompt.layout, prompt.tools)


@pytest.mark.parametrize(
    "task",
    [
        "Put up 'Frost' with the words 'Cover the beds' under it.",
        "Every notice of Vera's should now be on hold.",
    ],
)
def test_other_quotations_and_names_make_no_other_task(task: str) -> None:
    clock = NOW[NOW.index("2031") : NOW.index(". Working")]

    assert max(shown(NOTICES).likeness.to_all(read_task(task, clock))) == pytest.approx(1.0, abs=0.1)


def test_how_often_a_call_is_made_tells_kinds_apart_where_the_words_say_it() -> None:
    rows = [job(4, "2031-05-02"), job(5, "2031-05-03")]
    demos = [
        Show("Drop Milo's jobs.", [found("Milo", "b-1"), searched("b-1", *rows), dropped(4), dropped(5)]),
        Show("Drop Otto's jobs.", [found("Otto", "b-2"), searched("b-2", rows[0]), dropped(4)]),
        Show(
            "Drop the jobs of Ines that Vera has.",
            [found("Ines", "b-3"), found("Vera", "b-4"), searched("b-4", rows[0]), dropped(4)],
        ),
    ]

    several, one, two_names = (demo.kind for demo in shown(demos).demos)

    assert several == one
    assert one != two_names
