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


@pytest.mark.parametrize(
    ("choice", "baseline", "share"),
    [
        ("sample:3", False, "3 of 11 episodes (sample:3)"),
        ("sample:3", True, "0 of 11 episodes (none)"),
        ("all", True, "11 of 11 episodes (all)"),
    ],
)
def test_the_share_of_episodes_with_traces_is_said(
    uri: str, tmp_path: Path, choice: str, baseline: bool, share: str
) -> None:
    tracker = open_tracker(uri, traces=TraceChoice.parse(choice))
    assert isinstance(tracker, MlflowTracker)
    result = mixed(10)
    with tracker.start("eval") as run:
        run.evaluation(result, split="dev", baseline=baseline)
        run.report(evaluation_report(result))
    assert len(traces_of(tracker, run)) == int(share.partition(" ")[0])
    assert tracker.client.get_run(run.id).data.tags["worksmith.traces"] == share
    page = Path(tracker.client.download_artifacts(run.id, "report.md", str(tmp_path))).read_text()
    assert f"- traces of dev: {share}\n" in page
