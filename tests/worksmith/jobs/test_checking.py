"""`worksmith check`: a program against its recorded baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import worksmith as ws
from tests.optimizers.shop import make_suite
from worksmith.cli.app import app
from worksmith.evals.records.lines import log_line
from worksmith.evals.records.log import read_log
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InfrastructureError


def idle(env: Environment) -> ws.OwnAgent:
    return ws.OwnAgent(lambda task: "Nothing.", env, name="idle")


def cut_off(env: Environment) -> ws.OwnAgent:
    def agent(task: ws.AgentTask) -> str:
        raise InfrastructureError("no route to host")

    return ws.OwnAgent(agent, env)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_suite(tmp_path_factory.mktemp("suite")).path


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "base.jsonl"


def checked(suite: Path, baseline: Path, *options: str, lm: str = "gold") -> Any:
    command = ["check", str(suite), "--lm", lm, "--baseline", str(baseline), "--no-track", *options]
    return CliRunner().invoke(app, command)


IDLE = ("--program", "tests.worksmith.jobs.test_checking:idle")


def test_the_same_program_passes_and_a_worse_one_fails_with_the_tasks_that_turned(
    suite: Path, baseline: Path
) -> None:
    assert "there is no baseline" in str(checked(suite, baseline).exception)
    assert checked(suite, baseline, "--update").exit_code == 0
    kept = list(read_log(baseline))
    assert not any(record.query or record.calls or record.changes for record in kept)

    bounds = ("--constraint", "unwanted_side_effects=0", "--constraint", "steps<=0.5")
    same = checked(suite, baseline, *bounds)
    assert same.exit_code == 0, same.output
    assert "not shown to be worse" in same.stdout
    assert "8 times of 10 such a check shows a loss of" in same.stdout

    worse = checked(suite, baseline, *IDLE, *bounds, "--json", "--junit", "out.xml", lm="own")
    assert worse.exit_code == 1
    told = json.loads(worse.stdout)
    assert told["worse"] == ["outcome"]
    assert {task["task"] for task in told["turned"]["outcome"]} == {record.task_id for record in kept}
    cases = ElementTree.parse("out.xml").getroot()
    assert cases.get("failures") == str(1 + len(kept)) == str(len(cases.findall("testcase/failure")))
    assert list(read_log(baseline)) == kept

    assert checked(suite, baseline, *IDLE, "--update", lm="own").exit_code == 0
    assert checked(suite, baseline, *IDLE, lm="own").exit_code == 0
    better = checked(suite, baseline)
    assert better.exit_code == 0
    assert f"+ {kept[0].task_id}: outcome 0 -> 1" in better.stdout


def test_a_baseline_of_other_tasks_is_none_and_one_of_lost_episodes_is_not_made(
    suite: Path, baseline: Path
) -> None:
    assert checked(suite, baseline, "--update", "--split", "dev").exit_code == 0
    before = baseline.read_bytes()
    for option in ("--junit", "--log", "--record"):
        assert "baseline lies there" in str(checked(suite, baseline, option, str(baseline)).exception)
    assert "no task of this run is in the baseline" in str(checked(suite, baseline).exception)
    cut_off = ("--program", "tests.worksmith.jobs.test_checking:cut_off")
    lost = checked(suite, baseline, "--update", "--split", "dev", *cut_off, lm="own")
    assert "needs all episodes" in str(lost.exception)
    assert "tasks of the baseline are not in this run" in str(
        checked(suite, baseline, "--update", "--split", "dev", "--limit", "1").exception
    )
    assert baseline.read_bytes() == before
    assert checked(suite, baseline, "--update", "--split", "all").exit_code == 0


def test_a_baseline_without_scores_passes_nothing(suite: Path, baseline: Path) -> None:
    baseline.touch()
    assert "no episode of the baseline has scores" in str(checked(suite, baseline, *IDLE, lm="own").exception)
    assert checked(suite, baseline, "--update").exit_code == 0
    older = [
        record.model_copy(update={"scores": {"outcome": record.scores["outcome"]}})
        for record in read_log(baseline)
    ]
    baseline.write_bytes(b"".join(map(log_line, older)))
    bound = ("--constraint", "unwanted_side_effects=0")
    assert "no episode of base.jsonl has a score" in str(checked(suite, baseline, *bound).exception)
