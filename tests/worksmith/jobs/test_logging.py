"""Runs that were not sent to MLflow are sent later, each below the run that it belongs to."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.run_card import RunCard, write_card
from worksmith.evals.reporting.report import Report
from worksmith.evals.tracking.tracker import Run, Tracker
from worksmith.evals.tracking.unsent_runs import Unsent, note_unsent
from worksmith.jobs.runs.logging import log_runs
from worksmith.jobs.settings.runs import LogSettings

ABOVE = "a" * 32


class Below(Run):
    @property
    def id(self) -> str:
        return "b" * 32


class Above(Run):
    """The run of a comparison, which can be completed until it has ended."""

    def __init__(self) -> None:
        self.children: list[str] = []
        self.reports: list[Report] = []
        self.ended = False

    def child(self, name: str, **_: Any) -> Run:
        self.children.append(name)
        return Below()

    def report(self, report: Report, name: str = "report") -> None:
        self.reports.append(report)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended = True


class Store(Tracker):
    def __init__(self, above: Above) -> None:
        self._above = above

    def unfinished(self, run_id: str) -> Run | None:
        return self._above if run_id == ABOVE and not self._above.ended else None

    def start(self, name: str, **_: Any) -> Run:
        return Below()


def a_run(log: Path, *, above: str | None) -> Path:
    log.parent.mkdir(exist_ok=True)
    with EpisodeLog.open(log) as opened:
        opened.append(make_record(1))
    write_card(log, RunCard(label=log.stem))
    if above is not None:
        note_unsent(log, Unsent(above=above))
    return log


def test_a_comparison_ends_with_its_last_run_and_reports_its_own_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = a_run(tmp_path / "compare" / "sent.jsonl", above=None)
    first = a_run(tmp_path / "compare" / "first.jsonl", above=ABOVE)
    last = a_run(tmp_path / "compare" / "last.jsonl", above=ABOVE)
    unrelated = a_run(tmp_path / "another" / "unrelated.jsonl", above=None)
    above = Above()
    monkeypatch.setattr("worksmith.jobs.recording.tracking.open_tracker", lambda *_, **__: Store(above))

    log_runs(LogSettings(runs=[str(first)]))
    assert not above.ended

    log_runs(LogSettings(runs=[str(last), str(unrelated)]))
    assert above.children == ["first", "last"]
    assert above.ended
    text = above.reports[0].markdown()
    assert all(log.stem in text for log in (sent, first, last))
    assert "unrelated" not in text
