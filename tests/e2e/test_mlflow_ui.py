"""A server over HTTP holds all that commands record, and its pages show it to a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import worksmith as ws
from tests import standin
from tests.browser import DESKTOP, browser, resize  # noqa: F401  (a fixture)
from tests.e2e.conftest import invoke
from tests.e2e.shared_servers import mlflow_server
from worksmith.evals.suite import Suite
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.exports.mlflow import predict_fn, scorers

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

pytestmark = pytest.mark.slow

SECONDS = 30
TASKS = 4


@dataclass
class Recorded:
    """What the commands wrote to a server.

    Attributes:
        experiment: the id of the experiment, which is called `name`.
        runs: ids, by the command.
    """

    address: str
    experiment: str
    name: str
    runs: dict[str, str]
    log: Path


@pytest.fixture(scope="module")
def recorded(office: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    folder = tmp_path_factory.mktemp("server")
    with mlflow_server(folder) as address, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MLFLOW_TRACKING_URI", address)
        log = folder / "eval.jsonl"
        for command in (
            ["eval", office, "--strategy", "plan", "--limit", TASKS, "--traces", "all", "--log", log,
             "--judge", "local/rubric"],
            ["compile", office, "--out", "desk.json", "--optimizer", "knn", "--demos", 2, "--train-limit", 8,
             "--dev-limit", 4, "--accept", "best", "--traces", "sample:2", "--register", "desk@champion"],
        ):  # fmt: skip
            result = invoke(*command)
            assert result.exit_code == 0, result.output
        client = client_of(address)
        experiment = client.get_experiment_by_name(office.name).experiment_id
        runs = {
            run.data.tags["worksmith.command"]: run.info.run_id for run in client.search_runs([experiment])
        }
        yield Recorded(address, experiment, office.name, runs, log)


def client_of(address: str) -> Any:
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=address)


def traces(recorded: Recorded, run_id: str) -> list[Any]:
    from mlflow.tracing.client import TracingClient

    found = TracingClient(recorded.address).search_traces(
        locations=[recorded.experiment], run_id=run_id, max_results=100
    )
    return list(found)


def test_everything_arrives_over_http(recorded: Recorded) -> None:
    client = client_of(recorded.address)
    lines = [json.loads(line) for line in recorded.log.read_text().splitlines()]
    found = traces(recorded, recorded.runs["eval"])

    assert {trace.info.tags["episode"] for trace in found} == {line["key"] for line in lines}
    sources = [a.source.source_type for t in found for a in t.info.assessments if a.feedback is not None]
    assert sources.count("CODE") == sum(len(line["scores"]) for line in lines)
    assert sources.count("LLM_JUDGE") == sum(len(line["judgements"]) for line in lines) == TASKS
    asks = sum(len(line["asks"]) for line in lines)
    assert sum(span.span_type == "LLM" for trace in found for span in trace.data.spans) == asks > TASKS
    data = client.get_run(recorded.runs["eval"])
    assert data.data.tags["worksmith.traces"] == f"{TASKS} of {TASKS} episodes (all)"
    assert {artifact.path for artifact in client.list_artifacts(recorded.runs["eval"], "episodes")} == {
        "episodes/test.json",
        "episodes/test.jsonl",
        "episodes/card.json",
    }


def test_a_run_names_no_machine_person_or_place(recorded: Recorded) -> None:
    import getpass
    import socket

    for run_id in recorded.runs.values():
        run = client_of(recorded.address).get_run(run_id)
        said = json.dumps([run.data.tags, run.data.params, run.info.user_id])
        assert not any(
            name in said for name in (socket.gethostname(), f'"{getpass.getuser()}"', str(Path.home()))
        )
        assert '"/' not in said


def test_a_registered_program_is_found_by_its_alias_and_answers(recorded: Recorded) -> None:
    import mlflow

    version = client_of(recorded.address).get_model_version_by_alias("desk", "champion")
    assert (version.version, version.run_id) == ("1", recorded.runs["compile"])
    before = mlflow.get_tracking_uri()
    try:
        mlflow.set_tracking_uri(recorded.address)
        (answer,) = mlflow.pyfunc.load_model("models:/desk@champion").predict(
            [{"task": "Delete my next meeting"}]
        )
    finally:
        mlflow.set_tracking_uri(before)
    assert answer["status"] == "finished"
    assert len(traces(recorded, recorded.runs["compile"])) == 2


def test_mlflows_evaluation_of_the_registered_program_gives_our_scores(
    recorded: Recorded, office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", recorded.address)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    wanted = ("export", "mlflow", office, "--limit", 2, "--json")
    kept = [json.loads(invoke(*wanted).stdout) for _ in range(2)]
    assert kept[0] == kept[1]
    suite, model = Suite.open(office), "models:/desk@champion"
    before = mlflow.get_tracking_uri()
    try:
        mlflow.set_tracking_uri(recorded.address)
        mlflow.set_experiment(office.name)
        with pytest.raises(TrackingError, match="nobody"):
            predict_fn("models:/nobody@champion", suite)
        found = mlflow.genai.evaluate(
            data=mlflow.genai.datasets.get_dataset(dataset_id=kept[0]["dataset_id"]),
            predict_fn=predict_fn(model, suite, lm=standin.NAME),
            scorers=scorers(suite),
        )
    finally:
        mlflow.set_tracking_uri(before)

    program = recorded.log.parent / "desk.json"
    tasks = suite.examples("test", limit=2)
    ours = ws.evaluate(program, tasks, lm=standin.NAME, progress=False)
    rows = {row["response"]["episode"]: row for row in found.result_df.to_dict("records")}
    assert set(rows) == {record.key for record in ours.records}
    for record in ours.records:
        row = rows[record.key]
        assert {name: row[f"{name}/value"] for name in record.scores} == record.scores
    assert found.metrics["outcome/mean"] == pytest.approx(ours.summary.scores["outcome"].value)
    inputs = client_of(recorded.address).get_run(found.run_id).inputs
    assert [each.dataset.name for each in inputs.dataset_inputs] == [kept[0]["name"]]


def test_prompts_of_a_program_have_a_version_for_each_text(recorded: Recorded) -> None:
    from worksmith.evals.tracking import open_tracker

    tracker = open_tracker(recorded.address, experiment="prompts")
    for text in ("Be brief.", "Be brief.", "Be exact. {{never}} a variable."):
        with tracker.start("compile") as run:
            run.prompts({"my suite.react.predict": text}, aliases=["dspy:GEPA"])

    newest = client_of(recorded.address).load_prompt("prompts:/my-suite.react.predict@dspy-GEPA")
    assert (newest.version, newest.template) == (2, "Be exact. {{never}} a variable.")


class Page:
    """MLflow's pages in a browser."""

    def __init__(self, driver: Chrome, address: str) -> None:
        self._driver = driver
        self._address = address
        resize(driver, DESKTOP)
        driver.get(address)
        # A chat panel that opens itself would cover half of each page.
        for name, value in (("fab.autoOpenedOnFirstLoad_v1", "true"), ("panelOpen_v1", "false")):
            driver.execute_script(f"localStorage.setItem('mlflow.assistant.{name}', '{value}')")

    def widen(self) -> None:
        """Show all columns of wide tables: MLflow draws those in sight only."""
        resize(self._driver, (2400, 900))

    def open(self, path: str) -> None:
        self._driver.get(f"{self._address}/#/{path}")
        self._driver.refresh()

    def see(self, text: str) -> WebElement:
        """Wait for an element that shows just this text."""
        return self.find(f"//*[normalize-space(text())='{text}']")

    def find(self, xpath: str) -> WebElement:
        from selenium.webdriver.common.by import By
        from selenium.webdriver.support.expected_conditions import visibility_of_element_located
        from selenium.webdriver.support.ui import WebDriverWait

        shown = visibility_of_element_located((By.XPATH, xpath))
        found: WebElement = WebDriverWait(self._driver, SECONDS).until(shown, f"nothing shown at {xpath}")
        return found

    def click(self, text: str) -> None:
        self.click_at(f"//*[normalize-space(text())='{text}']")

    def click_at(self, xpath: str) -> None:
        # By script: a hint that MLflow shows once may lie over the element.
        self._driver.execute_script("arguments[0].click()", self.find(xpath))


@pytest.fixture
def page(browser: Chrome, recorded: Recorded) -> Page:  # noqa: F811
    return Page(browser, recorded.address)


def test_from_a_run_to_a_trace_to_its_assessments(page: Page, recorded: Recorded) -> None:
    task = traces(recorded, recorded.runs["eval"])[0].info.request_preview
    page.open(f"experiments/{recorded.experiment}/evaluation-runs")
    page.click("eval plan")
    page.click_at(f'//a[contains(text(), "{task[:40]}")]')
    page.see("plan")
    page.see("select")
    page.click("Assess")
    page.see("judge_outcome")
    page.see("expected")
    page.click("select")
    page.see("System")
    page.find("//*[contains(text(), 'Your input fields are:')]")


def test_a_runs_figures_are_charts(page: Page, recorded: Recorded) -> None:
    page.open(f"experiments/{recorded.experiment}/runs/{recorded.runs['eval']}/model-metrics")
    page.find("//*[contains(@class, 'js-plotly-plot')]")


def test_each_page_of_the_experiment_shows_what_belongs_there(page: Page, recorded: Recorded) -> None:
    pages = {
        "datasets": [
            f"starts-with(text(), '{recorded.name}/{split}, ')" for split in ("test", "train", "dev")
        ],
        "judges": ["text()='judge_outcome, local/rubric'"],
        "prompts": [f"text()='{recorded.name}.react.selector.predict'"],
        "models": ["text()='react-knn'", "contains(@href, 'models/desk')", "text()='outcome'"],
        "evaluation-runs": ["text()='eval plan'", "text()='compile react knn'", "text()='outcome'"],
        "runs?viewStateShareKey=outcome": ["text()='compile react knn'", "text()='used_tokens'"],
    }
    page.widen()
    for name, shown in pages.items():
        page.open(f"experiments/{recorded.experiment}/{name}")
        for text in shown:
            page.find(f"//*[{text}]")


def test_a_registered_model_shows_its_version_and_alias(page: Page) -> None:
    page.open("models")
    page.click("desk")
    page.see("Version 1")
    page.find("//*[text()[contains(., 'champion')]]")
