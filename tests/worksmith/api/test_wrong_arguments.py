"""Arguments of the wrong kind end with the name of the argument and a remedy."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from tests.tables import each_row

ROWS: Any = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> ws.Environment:
    folder = tmp_path_factory.mktemp("worlds")
    env = ws.Environment.from_tables({"people": ROWS}, now="2026-01-05", folder=folder)

    @env.tool(writes=False)
    def count(ctx: ws.Context) -> int:
        """Count the people."""
        return ctx["people"].count()

    return env


@pytest.fixture(scope="module")
def suite(env: ws.Environment) -> ws.Suite:
    lines = [{"id": f"t{at}", "query": f"How many people, {at}?", "answer": 2} for at in range(10)]
    return ws.Suite(env, lines)


def call(made: Any, *arguments: Any) -> Any:
    return made(*arguments)


def tables(sources: Any = None, now: Any = "2026-01-05", **other: Any) -> ws.Environment:
    return ws.Environment.from_tables({"people": ROWS} if sources is None else sources, now=now, **other)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: tables("people.csv"), 'sources: not str .*"tickets.csv"'),
        (lambda: tables(["people.csv"]), "sources: not list"),
        (lambda: tables(keys="id"), "keys: not str"),
        (lambda: tables(types=["text"]), "types: not list"),
        (lambda: tables(now=5), "now: no time: 5"),
        (lambda: ws.Budget(calls="many"), "max-calls: a limit is a positive number, not 'many'"),  # type: ignore[arg-type]
        (lambda: ws.Race(metric="outcome"), "metric: no function: 'outcome'"),  # type: ignore[arg-type]
        (lambda: ws.Race(budget=2), r"budget: no budget: 2 \(such as Budget\(usd=2\)"),  # type: ignore[arg-type]
        (lambda: ws.Race(resume=True), "resume: there is no journal"),
    ],
)
def test_arguments_that_need_nothing_else(
    wrong: Callable[[], Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ws.InputError, match=said):
        wrong()


def test_a_date_is_its_midnight(tmp_path: Path) -> None:
    env = tables(now=datetime.date(2026, 1, 5), folder=tmp_path)
    assert str(env).startswith("1 table, 2026-01-05 00:00")


@each_row(
    ("wrong", "said"),
    [
        (
            lambda suite: tables(personas=["people"], folder=suite.world.path.parent),
            r"no table \"\['people'\]\"",
        ),
        (
            lambda suite: call(ws.Suite, "tasks.jsonl", suite.env),
            "env: no environment but str .*Suite.environment",
        ),
        (
            lambda suite: call(ws.Agent, suite.env, "react"),
            r'strategy: an environment \(write Agent\("react"',
        ),
        (lambda suite: call(ws.Agent, "react", suite), "env: no environment but Suite .*suite.env"),
        (lambda suite: compiled(suite, trainset=suite), "trainset: no examples but Suite .*suite.train"),
        (lambda suite: compiled(suite, valset=5), "valset: no examples but int"),
        (lambda suite: compiled(suite, lambda task: task), "student: no DSPy program: <lambda>"),
        (lambda suite: measured(suite, budget=5), "budget: no budget: 5"),
        (lambda suite: measured(suite, metric="outcome"), "metric: no function"),
        (lambda suite: measured(suite, workers=0), "^workers: "),
        (lambda suite: measured(suite, judge="nobody"), "^judge: no judge"),
        (lambda suite: measured(suite, live=True), "no tool of this environment reaches outside"),
        (lambda suite: measured(suite, lm="student"), "names no provider"),
        (lambda suite: measured(suite, program=ws.Agent), "is not a program"),
        (lambda suite: measured(suite, program=3), "is not a program"),
        (lambda suite: measured(suite, program="missing.json"), "missing.json"),
        (lambda suite: measured(suite, tasks="tasks.jsonl"), "str is not a list of tasks"),
        (lambda suite: measured(suite, tasks=ws.Agent()), "Agent is not a list of tasks"),
        (lambda suite: measured(suite, tasks=[dspy.Example(task="t")]), "plain examples need a metric"),
        (lambda suite: compiled(suite, dspy.Predict), "student: no DSPy program: Predict .make an object"),
    ],
)
def test_arguments_that_belong_to_a_suite(
    wrong: Callable[[ws.Suite], Any], said: str, suite: ws.Suite
) -> None:
    with pytest.raises(ws.InputError, match=said):
        wrong(suite)


def compiled(suite: ws.Suite, student: Any = None, *, trainset: Any = None, valset: Any = None) -> Any:
    agent = ws.Agent("react", suite.env) if student is None else student
    return ws.KNN().compile(agent, trainset=trainset or suite.train, valset=valset)


def measured(suite: ws.Suite, **wrong: Any) -> ws.Evaluation:
    given = {"program": ws.Agent("react", suite.env), "tasks": suite.test, **wrong}
    return ws.evaluate(**given, progress=False)
