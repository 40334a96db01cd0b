"""Jobs are called from Python: settings in, a result out that prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from tests import standin
from tests.tables import each_row
from tests.worksmith.commands import Heard
from worksmith.evals.suite import Suite
from worksmith.jobs.building import build, forecast_build
from worksmith.jobs.comparing.comparison import compare
from worksmith.jobs.compiling.compilation import compile
from worksmith.jobs.evaluation import evaluate
from worksmith.jobs.judgement import judge
from worksmith.jobs.settings.compiling import CompileSettings
from worksmith.jobs.settings.programs import CompareSettings, EvaluateSettings
from worksmith.jobs.settings.runs import JudgeSettings
from worksmith.jobs.settings.suites import BuildSettings
from worksmith.tools.errors import InputError, WorksmithError

pytestmark = pytest.mark.usefixtures("here")


def test_an_evaluation_gives_records_figures_and_tables(suite: Suite, tmp_path: Path) -> None:
    heard = Heard()
    settings = EvaluateSettings(suite=suite.path, lm="gold", limit=3, workers=2, track=False, log="log.jsonl")
    result = evaluate(settings, progress=heard)

    (run,) = result.runs.values()
    assert len(run.records) == 3
    assert not result.failed
    assert str(result).startswith("Outcome of react, gold: 100.0 [")
    data = json.loads(json.dumps(result.to_json()))
    assert (data["split"], data["limit"], len(data["rows"])) == ("test", 3, 3)
    assert heard.said == ["see each episode with: worksmith report log.jsonl"]
    judged = judge(JudgeSettings(runs=["log.jsonl"]))
    assert [len(figures) for _, figures in judged.runs] == [1]
    card = json.loads((tmp_path / "log.card.json").read_text())
    assert card["settings"] == {name: data[name] for name in card["settings"]}


def test_a_compile_is_evaluated_and_compared(suite: Suite, tmp_path: Path) -> None:
    common: dict[str, Any] = {"suite": suite.path, "workers": 2, "track": False}
    compiled = compile(
        CompileSettings(out=tmp_path / "program.json", optimizer="knn", train_limit=6, dev_limit=3, **common)
    )
    assert compiled.artifact.manifest.optimizer == "knn"
    assert str(compiled).startswith("Kept the program as it is")
    result = evaluate(EvaluateSettings(program=compiled.file, limit=2, **common))
    assert result.settings["program"] == "program.json"
    compared = compare(CompareSettings(strategies="react", optimizers="none", limit=2, **common))
    assert compared.study.rows[0].arm.label == "react"
    assert compared.to_json()["strategies"] == ["react"]
    assert not compared.failed


def test_programs_are_compared_although_another_could_not_be_compiled(suite: Suite, tmp_path: Path) -> None:
    common: dict[str, Any] = {"suite": suite.path, "workers": 2, "track": False, "limit": 2}
    settings = CompareSettings(
        strategies="react", optimizers="knn,none", teacher=standin.NAME, report="page.html", **common
    )
    compared = compare(settings)

    assert compared.failed
    assert [row.arm.label for row in compared.study.rows if not row.arm.baseline] == ["react"]
    why = "react + knn could not run: --teacher: local/standin"
    assert why in " ".join(str(compared).split())
    assert "taught nothing" in compared.to_json()["failures"]["react + knn"]
    assert "could not run" in (tmp_path / "page.html").read_text()
    with pytest.raises(InputError, match="taught nothing"):
        compare(settings.model_copy(update={"optimizers": ("knn",)}))


@pytest.mark.slow
def test_no_job_needs_the_command_line_nor_the_description_of_suites_the_agents_libraries() -> None:
    code = (
        "import sys, worksmith.jobs.building; print('dspy' in sys.modules); "
        "[getattr(worksmith, name) for name in worksmith.__all__]; "
        "print([m for m in sys.modules if m.startswith(('typer', 'worksmith.cli'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "[]"]


@each_row(
    ("settings", "said"),
    [
        ({}, "--suite: a value is missing"),
        ({"suite": "x", "trials": 0}, "--trials: input should be greater than or equal to 1"),
        (
            {"suite": "x", "split": "exam"},
            "--split: no split 'exam' (there are train, dev, test, paired, all)",
        ),
        ({"suite": "x", "ground_truth": "magic"}, "no ground truth 'magic'"),
        ({"suite": "x", "modle": "gold"}, "EvaluateSettings has no setting 'modle'"),
        ({"suite": "x", "experiment": " "}, "--experiment: an experiment needs a name"),
        ({"suite": "x", "where": "domain=email"}, "--where: several values go in a list"),
    ],
)
def test_a_wrong_setting_is_named_with_what_there_is(settings: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        EvaluateSettings.model_validate(settings)

    assert said in str(raised.value)


@each_row("names", ["", " , ", "react,react", [], [" "], ["react", "react "]])
def test_names_must_be_given_each_once(names: object) -> None:
    with pytest.raises(InputError, match="--strategies: names must be given, each once"):
        CompareSettings.model_validate({"suite": "x", "strategies": names})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"writer": "nobody"}, "'nobody' names no provider"),
        ({"writer": ""}, "names no provider"),
        ({"mode": "clean"}, "--mode: enterprise suites have no use for it (leave it out; it is for crm)"),
        ({"colour": 1}, "--colour: enterprise suites have no use for it (leave it out)"),
    ],
)
def test_options_of_a_build_are_checked_by_its_forecast(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        forecast_build(BuildSettings(kind="enterprise", out="x", options=options))

    assert said in str(raised.value)


def test_a_build_gives_its_kind_no_option_that_nobody_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, Any] = {}

    def build_suite(kind: str, place: Path, **given: Any) -> None:
        found.update(given)
        raise InputError("seen")

    monkeypatch.setattr("worksmith.jobs.building.build_suite", build_suite)
    with pytest.raises(InputError, match="seen"):
        build(BuildSettings(kind="enterprise", out=tmp_path / "made", options={"train": 5}))
    assert found["train"] == 5
    assert found.keys().isdisjoint({"reword", "reword_share"})  # which need a writer


def test_a_forecast_of_a_build_says_the_price_where_it_is_known() -> None:
    def price(writer: str) -> float | None:
        options = {"writer": writer, "reword": "all", "reword_share": 0.1}
        found = forecast_build(BuildSettings(kind="enterprise", out="x", options=options)).to_json()
        return cast("float | None", found["dollars_at_most"])

    known = price("openai/gpt-4o-mini")
    assert known is not None
    assert known > 1
    assert price("openai/nobody-knows-this-one") is None


def test_a_folder_is_no_record_of_replies(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=str(tmp_path)):
        evaluate(EvaluateSettings(suite=suite.path, lm="gold", limit=1, track=False, record=tmp_path))


def test_an_empty_toolset_is_none_that_there_is(suite: Suite) -> None:
    with pytest.raises(InputError, match="no toolset ''"):
        evaluate(EvaluateSettings(suite=suite.path, lm="gold", limit=1, track=False, toolset=""))


def test_settings_of_one_job_are_taken_over_by_another() -> None:
    compared = CompareSettings(suite="x", max_steps=7, demos=3, seed=5)
    compiled = compared.adapted(CompileSettings, out="y", lm="gold")

    assert (compiled.max_steps, compiled.demos, compiled.seed, compiled.lm) == (7, 3, 5, "gold")


def test_only_what_can_change_a_result_describes_it() -> None:
    described = EvaluateSettings(
        suite="x", workers=3, max_calls=5, tracking_uri="sqlite:///a", seed=4
    ).described()

    assert described["seed"] == 4
    assert not {"workers", "max_calls", "tracking_uri", "track", "resume"} & described.keys()


SLOW = """
import time

import dspy


class Slow(dspy.Module):
    def forward(self, task):
        time.sleep(0.6)
        return dspy.Prediction(answer="late")


def make(environment):
    return Slow()
"""


def test_a_time_limit_ends_episodes_of_eval_and_compile(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_program.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    given: dict[str, Any] = {"suite": suite.path, "program": "slow_program:make", "track": False}
    measured = evaluate(EvaluateSettings(**given, limit=2, time_limit=0.1))

    assert {record.status for record in measured.records} == {"timeout"}
    with pytest.raises(WorksmithError, match="nothing could be measured on dev"):
        compile(CompileSettings(**given, out="out.json", optimizer="none", dev_limit=1, time_limit=0.1))
