"""The teacher that a compile takes where none is named."""

from __future__ import annotations

import pytest

from tests.worksmith.commands import Heard
from worksmith.evals.tasks.task import Step, Task
from worksmith.jobs.opening.suites import teacher_name


def tasks(*planned: bool) -> list[Task]:
    plan = (Step(tool="tools.close", arguments={}),)
    return [
        Task(id=f"t{n}", query="Close it.", domains=("tools",), gold_plan=plan if each else None)
        for n, each in enumerate(planned)
    ]


@pytest.mark.parametrize(
    ("named", "planned", "taken", "said"),
    [
        (None, (True, True), "gold", ""),
        (None, (True, False), "gold", "1 of 2 training tasks have a gold plan, the others teach nothing"),
        (
            None,
            (False, False),
            "student",
            "0 of 2 training tasks have a gold plan, so student teaches itself",
        ),
        ("other", (False, False), "other", ""),
    ],
)
def test_gold_plans_teach_where_there_are_some(
    named: str | None, planned: tuple[bool, ...], taken: str, said: str
) -> None:
    heard = Heard()

    assert teacher_name(named, "student", tasks(*planned), heard) == taken
    assert " ".join(heard.said).startswith(said)
    assert bool(heard.said) == bool(said)
