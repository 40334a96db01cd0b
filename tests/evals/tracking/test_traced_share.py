"""A run and its report say how many of its episodes became traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.episodes import mixed
from tests.evals.tracking.stored import traces_of
from worksmith.evals.reporting.report import evaluation_report
from worksmith.evals.tracking import TraceChoice, open_tracker
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("said", "traces"), [("sample:3", 3), ("none", 0)])
def test_the_share_of_episodes_with_traces_is_said(uri: str, tmp_path: Path, said: str, traces: int) -> None:
    tracker = open_tracker(uri, traces=TraceChoice.parse(said))
    assert isinstance(tracker, MlflowTracker)
    result = mixed(10)
    with tracker.start("eval") as run:
        run.evaluation(result, split="dev")
        run.report(evaluation_report(result))
    share = f"{traces} of 11 episodes ({said})"

    assert len(traces_of(tracker, run)) == traces
    assert tracker.client.get_run(run.id).data.tags["worksmith.traces"] == share
    page = Path(tracker.client.download_artifacts(run.id, "report.md", str(tmp_path))).read_text()
    assert f"- traces of dev: {share}\n" in page
