"""What a resumed run says of the episodes that it does not take over."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from importlib import import_module, reload
from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import lm, make_suite
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.resuming import Resumed
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite

PROGRAM = """
    import dspy
    from worksmith.tools.episode_result import EpisodeResult
    from helper_of_mine import ANSWER

    class Mine(dspy.Module):
        strategy = "mine"

        def __init__(self, environment):
            super().__init__()
            self.step = dspy.Predict("task -> answer")
            self.environment = environment

        def forward(self, task):
            episode = self.env.episode(task.domains)
            return dspy.Prediction(answer=ANSWER, episode=EpisodeResult("finished", episode.outcome()))
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture
def program(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes the program of a file, which says what it answers in another file beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "program_of_mine.py").write_text(textwrap.dedent(PROGRAM))

    def make(answer: str = "one", demos: int = 0) -> Any:
        (tmp_path / "helper_of_mine.py").write_text(f"ANSWER = {answer!r}\n")
        for name in ("helper_of_mine", "program_of_mine"):
            reload(import_module(name))
        made = import_module("program_of_mine").Mine(suite.env)
        made.step.demos = [{"task": str(number), "answer": ""} for number in range(demos)]
        return made

    return make


def run(program: Any, suite: Suite, log: Path, tasks: int = 5, **options: Any) -> Resumed | None:
    told: list[Resumed] = []
    with EpisodeLog.open(log, resume=True) as opened:
        evaluate(
            program,
            suite.tasks[:tasks],
            EvalSettings(env=suite.env, **{"lm": lm("a"), **options}),
            log=opened,
            on_resume=told.append,
        )
    return told[0] if told else None


def test_a_changed_helper_makes_everything_owed_and_is_named(
    suite: Suite, program: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    assert run(program(), suite, log) is None
    assert run(program(), suite, log) == Resumed(5, 0, {})

    assert run(program("two"), suite, log, 7) == Resumed(0, 7, {"the program's code": 5})
    assert len(log.read_text().splitlines()) == 5 + 7


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"lm": lm("b")}, "model"),
        ({"seed": 1}, "seed"),
        ({"scorers": []}, "scorers or judges"),
        ({"lm": lm("b"), "seed": 1}, "model and seed"),
    ],
)
def test_what_differs_is_named(
    suite: Suite, program: Callable[..., Any], tmp_path: Path, changed: dict[str, Any], named: str
) -> None:
    run(program(), suite, tmp_path / "log.jsonl")
    found = run(program(), suite, tmp_path / "log.jsonl", **changed)

    assert found == Resumed(0, 5, {named: 5})
    assert str(found) == (
        "--resume: 0 episodes are taken over from the log, 5 are run; "
        f"of these the log has others, but something has changed: 5 for {named}"
    )


def test_other_demonstrations_are_another_state(
    suite: Suite, program: Callable[..., Any], tmp_path: Path
) -> None:
    run(program(), suite, tmp_path / "log.jsonl")

    assert run(program(demos=1), suite, tmp_path / "log.jsonl") == Resumed(0, 5, {"the program's state": 5})


def test_another_task_under_the_same_name_is_named(
    suite: Suite, program: Callable[..., Any], tmp_path: Path
) -> None:
    run(program(), suite, tmp_path / "log.jsonl")
    reworded = [task.model_copy(update={"query": f"{task.query}!"}) for task in suite.tasks[:2]]
    told: list[Resumed] = []
    with EpisodeLog.open(tmp_path / "log.jsonl", resume=True) as log:
        tasks = [*reworded, *suite.tasks[2:5]]
        evaluate(program(), tasks, EvalSettings(env=suite.env, lm=lm("a")), log=log, on_resume=told.append)

    assert told == [Resumed(3, 2, {"task": 2})]
