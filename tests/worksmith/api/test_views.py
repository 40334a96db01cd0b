"""What a notebook shows of each result: short, a table, and a frame with all rows."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

import worksmith as ws
from examples.own_data import suite as help_desk
from worksmith.evals.tasks.task import Task
from worksmith.tools.view import LINES, WIDTH

NAMED = {
    "an environment": "Environment(",
    "a suite": "Suite(",
    "a part of a suite": "Examples(test: 16 tasks",
    "a task": "Task ",
    "a program": "Agent('react')",
    "a compiled program": "Agent('react')",
    "a compilation": "Compilation of 2 candidates",
    "candidates by cost": "Candidates",
    "an evaluation": "Evaluation of react with gold on 16 tasks",
    "a comparison": "Comparison on 16 tasks",
    "episodes": "16 episodes",
    "an episode": "Episode of ",
}
"""How the view of each begins."""

ROWS = {
    "a suite": 40,
    "a part of a suite": 16,
    "a program": 1,
    "a compilation": 2,
    "candidates by cost": 2,
    "an evaluation": 16,
    "a comparison": 2,
    "episodes": 16,
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("views"))
        agent, suite = ws.Agent("react", help_desk.env), help_desk
        better = ws.Bootstrap(candidates=1, lm="gold", progress=False).compile(
            agent, trainset=suite.train, valset=suite.dev
        )
        result = ws.evaluate(agent, suite.test, lm="gold", progress=False)
        compared = ws.compare([agent, better], suite.test, lm="gold", progress=False)
    values = (
        *(suite.env, suite, suite.test, suite.tasks[0], agent, better, better.compilation),
        *(better.compilation.pareto, result, compared, result.records, result.records[0]),
    )
    return dict(zip(NAMED, values, strict=True))


@pytest.mark.parametrize("name", NAMED)
def test_a_result_is_short_as_text_and_a_table_in_a_notebook(name: str, shown: dict[str, Any]) -> None:
    value = shown[name]
    lines = repr(value).split("\n")
    assert lines[0].startswith(NAMED[name])
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    page = value._repr_html_()
    assert "<table" in page
    assert len(page) < 30_000


def test_everything_with_rows_has_a_frame(shown: dict[str, Any]) -> None:
    assert {name: len(shown[name].to_frame()) for name in ROWS} == ROWS
    episodes = shown["an evaluation"].to_frame()
    assert set(episodes["outcome"]) == {1.0}
    assert {"run", "task", "trial", "intent", "status", "used_tokens", "seconds", "reply"} <= {*episodes}
    programs = shown["a comparison"].to_frame()
    assert programs.loc[1, ["difference_low", "difference_high"]].notna().all()
    assert list(shown["a compilation"].to_frame()["chosen"]).count(True) == 1
    tickets = shown["an environment"].to_frame("tickets")
    assert {"ticket_id", "status"} <= {*tickets}
    with pytest.raises(ws.InputError, match="no table 'ticket'"):
        shown["an environment"].to_frame("ticket")


def test_a_frame_without_pandas_says_what_to_install(
    shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ws.InputError, match="pip install pandas"):
        shown["a suite"].to_frame()


def test_a_suite_of_ten_thousand_tasks_is_shown_as_shortly(suite: ws.Suite) -> None:
    made = [Task(id=f"t{n}", query="Close it. " * 50, domains=("tools",)) for n in range(10_000)]
    large = ws.Suite(suite.env, made)
    for part in (large, large.test):
        assert len(repr(part).split("\n")) == 1
        assert len(str(part).split("\n")) <= LINES
        assert len(part._repr_html_()) < 30_000
    assert len(large.to_frame()) == 10_000


def test_progress_is_silent_in_a_pipe_and_small_records_tell_of_it(
    suite: ws.Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    optimizer = ws.Bootstrap(candidates=1, lm="gold", on_progress=told.append)
    optimizer.compile(ws.Agent("react", suite.env), trainset=suite.train, valset=suite.dev)
    ws.evaluate(ws.Agent("react"), suite.test[:2], lm="gold")
    assert capsys.readouterr() == ("", "")
    assert told[0].name == "teacher"
    assert (told[-1].done, told[-1].score) == (told[-1].total, 1.0)
    assert all(len(repr(each)) < 300 for each in told)
