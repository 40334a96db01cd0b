"""`worksmith check`: a program against its recorded baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import worksmith as ws
from tests.worksmith.commands import called
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.suite import Suite
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InfrastructureError, WorksmithError


def idle(env: Environment) -> ws.OwnAgent:
    return ws.OwnAgent(lambda task: "Nothing.", env, name="idle")


def cut_off(env: Environment) -> ws.OwnAgent:
    def agent(task: ws.AgentTask) -> str:
        raise InfrastructureError("no route to host")

    return ws.OwnAgent(agent, env)


@pytest.fixture
def baseline(here: Path) -> Path:
    return here / "base.jsonl"


def checked(suite: Suite, baseline: Path, *options: str, lm: str = "gold") -> Any:
    return called("check", suite.path, "--lm", lm, "--baseline", baseline, "--no-track", *options)


def refused(suite: Suite, baseline: Path, *options: str, lm: str = "gold") -> str:
    with pytest.raises(WorksmithError) as caught:
        checked(suite, baseline, *options, lm=lm)
    return str(caught.value)


IDLE = ("--program", "tests.worksmith.jobs.test_checking:idle")


def test_the_same_program_passes_and_a_worse_one_fails_with_the_tasks_that_turned(
    suite: Suite, baseline: Path
) -> None:
    assert "there is no baseline" in refused(suite, baseline)
    wrong = ("check", "no-suite", "--baseline", baseline, "--update", "--tracking-uri", "folder")
    with pytest.raises(WorksmithError, match="a plain folder is not an MLflow store"):
        called(*wrong)
    assert checked(suite, baseline, "--update").exit_code == 0
    kept = list(read_log(baseline))
    assert not any(record.query or record.calls or record.changes for record in kept)
    assert {record.trial for record in kept} == {0, 1, 2}

    bounds = ("--constraint", "unwanted_side_effects=0", "--constraint", "steps<=0.5")
    same = checked(suite, baseline, *bounds)
    assert same.exit_code == 0, same.output
    assert "not shown to be worse" in same.stdout
    assert "8 times of 10 such a check shows a loss of" in same.stdout

    worse = checked(suite, baseline, *IDLE, *bounds, "--json", "--junit", "out.xml", lm="own")
    assert worse.exit_code == 1
    told = json.loads(worse.stdout)
    assert told["worse"] == ["outcome"]
    tasks = {record.task_id for record in kept}
    assert {task["task"] for task in told["turned"]["outcome"]} == tasks
    cases = ElementTree.parse("out.xml").getroot()
    assert cases.get("failures") == str(1 + len(tasks)) == str(len(cases.findall("testcase/failure")))
    assert list(read_log(baseline)) == kept

    assert checked(suite, baseline, *IDLE, "--update", lm="own").exit_code == 0
    assert checked(suite, baseline, *IDLE, lm="own").exit_code == 0
    better = checked(suite, baseline)
    assert better.exit_code == 0
    assert f"+ {kept[0].task_id}: outcome 0 -> 1" in better.stdout


def test_a_baseline_of_other_tasks_is_none_and_one_of_lost_episodes_is_not_made(
    suite: Suite, baseline: Path
) -> None:
    assert checked(suite, baseline, "--update", "--split", "dev").exit_code == 0
    before = baseline.read_bytes()
    for option in ("--junit", "--log", "--record"):
        assert "baseline lies there" in refused(suite, baseline, option, str(baseline))
    assert "no task of this run is in the baseline" in refused(suite, baseline)
    cut_off = ("--program", "tests.worksmith.jobs.test_checking:cut_off")
    assert "needs all episodes" in refused(suite, baseline, "--update", "--split", "dev", *cut_off, lm="own")
    assert "tasks of the baseline are not in this run" in refused(
        suite, baseline, "--update", "--split", "dev", "--limit", "1"
    )
    assert baseline.read_bytes() == before
    assert checked(suite, baseline, "--update", "--split", "all").exit_code == 0


def test_a_baseline_without_scores_passes_nothing(suite: Suite, baseline: Path) -> None:
    baseline.touch()
    assert "no episode of the baseline has scores" in refused(suite, baseline, *IDLE, lm="own")
    assert checked(suite, baseline, "--update").exit_code == 0
    older = [
        record.model_copy(update={"scores": {"outcome": record.scores["outcome"]}})
        for record in read_log(baseline)
    ]
    baseline.write_bytes(b"".join(map(log_line, older)))
    bound = ("--constraint", "unwanted_side_effects=0")
    assert "no episode of base.jsonl has a score" in refused(suite, baseline, *bound)
