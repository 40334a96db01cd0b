"""Runs from the command line to a report, and from a figure of it back to episodes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests import standin
from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory, office: Path) -> str:
    """The folder of a comparison's logs."""
    place = tmp_path_factory.mktemp("compared")
    options = ("--strategies", "act,react", "--optimizers", "none", "--limit", 8, "--no-track")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        result = invoke("compare", office, *options, "--report", "compare.html")
    assert result.exit_code == 0, result.output
    (folder,) = (place / "mlruns/logs").glob("compare-*")
    return str(folder)


def test_a_figure_of_a_report_leads_to_its_episodes(compared: str, here: Path) -> None:
    written = invoke("report", compared, "--format", "json")
    figures = json.loads(written.stdout)["figures"]
    figure = next(f for f in figures if f["metric"] == "outcome" and f["where"].get("domain") == "analytics")
    words = shlex.split(figure["trace"])
    assert words[0] == "worksmith"
    traced = json.loads(invoke(*words[1:], "--json").stdout)

    assert traced["mean"] == pytest.approx(figure["value"])
    assert len(traced["episodes"]) == figure["episodes"]
    first = traced["episodes"][0]
    shown = invoke("episodes", compared, "--show", first["id"], "--arm", figure["arm"])
    assert shown.exit_code == 0, shown.output
    assert f"task {first['task']}" in shown.stdout
    same = invoke("episodes", compared, "--show", first["task"], "--arm", figure["arm"])
    assert same.stdout == shown.stdout
    several = invoke("episodes", compared, "--show", first["task"])
    assert "--arm" in str(several.exception)


def test_reports_come_in_every_format(compared: str, here: Path) -> None:
    figures = json.loads(invoke("report", compared, "--json").stdout)
    assert figures == json.loads(invoke("report", compared, "--format", "json").stdout)
    assert not (here / "report.html").exists()
    assert invoke("report", compared).exit_code == 0
    page = (here / "report.html").read_text()
    assert 'class="episode"' in page
    assert "do_nothing" in page
    for ending, start in ((".md", "## Report"), (".csv", "run,arm,metric"), (".tex", r"\begin{table}")):
        file = here / f"figures{ending}"
        assert invoke("report", compared, "-o", file).exit_code == 0
        assert file.read_text().startswith(start)
    again = invoke("report", compared)
    assert again.exit_code != 0
    assert "--force" in str(again.exception)


def test_a_run_of_one_program_and_a_comparison_share_a_page(compared: str, office: Path, here: Path) -> None:
    run = invoke(
        "eval", office, "--strategy", "plan", "--limit", 6, "--no-track", "--log", here / "plan.jsonl"
    )
    assert run.exit_code == 0, run.output
    result = invoke("report", compared, here / "plan.jsonl", "--format", "json")
    report = json.loads(result.stdout)

    assert f"plan, {standin.NAME}" in {figure["arm"] for figure in report["figures"]}
    assert report["facts"]["tasks differ"]


def test_wrong_episodes_keep_what_should_have_changed(compared: str) -> None:
    wrong = json.loads(invoke("episodes", compared, "--arm", "act", "--wrong", "--json").stdout)["episodes"]
    shown = [invoke("episodes", compared, "--show", each["id"]).stdout for each in wrong]

    assert any("missing: " in text for text in shown)


def test_what_there_is_not_is_said(compared: str) -> None:
    for arguments, said in (
        (("--arm", "nobody"), "no program 'nobody'"),
        (("--where", "colour=red"), "not chosen by 'colour'"),
        (("--verdict", "odd"), "no verdict"),
        (("--metric", "beauty"), "no episode has a value of 'beauty'"),
    ):
        result = invoke("episodes", compared, *arguments)
        assert result.exit_code != 0
        assert said in str(result.exception)
