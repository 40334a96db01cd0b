"""What is tracked, where, and in which words; without a store."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from evals.tracking import NullTracker, open_tracker
from evals.tracking.figures import finite, params_text
from evals.tracking.store import tracking_uri
from evals.tracking.traces import choose
from tests.evals.episodes import make_record, mixed
from tools.errors import InputError


def test_failures_and_a_sample_of_the_rest_become_traces() -> None:
    records = list(mixed(40).records)
    chosen = choose(records, failures=5, others=3, seed=0)

    assert [record.task_id for record in chosen[:5]] == [f"task-{n:03}" for n in (0, 2, 4, 6, 8)]
    assert {record.scores["outcome"] for record in chosen[5:]} == {1.0}
    assert chosen == choose(records, failures=5, others=3, seed=0)
    assert len(choose(records, failures=None, others=0, seed=0)) == 21


def test_episodes_in_which_nothing_happened_get_no_trace() -> None:
    idle = [make_record(number, scores={"outcome": number % 2}) for number in range(4)]
    lost = make_record(4, status="model_error", scores={}, error="503")

    assert choose([*idle, lost], failures=None, others=9, seed=0) == [lost]


def test_without_tracking_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tracker = open_tracker(track=False)
    with tracker.start("eval", params={"a": 1}) as run, run.child("x") as child:
        child.evaluation(mixed(2), split="test")
        child.text("x", "y.txt")

    assert isinstance(tracker, NullTracker)
    assert run.id is None
    assert list(tmp_path.iterdir()) == []


def test_the_address_comes_from_option_environment_or_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert tracking_uri() == "sqlite:///mlruns/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://localhost:5000")
    assert tracking_uri() == "http://localhost:5000"
    assert tracking_uri("sqlite:///x.db") == "sqlite:///x.db"


def test_what_can_be_no_store_is_refused() -> None:
    with pytest.raises(InputError, match="MLflow has no stores magic://"):
        open_tracker("magic://x")
    with pytest.raises(InputError, match="sqlite:///"):
        open_tracker("mlruns")


def test_settings_become_short_texts_without_the_machines_paths() -> None:
    assert params_text(
        {
            "lm": "openai/gpt-4o-mini",
            "replay": "replay:/home/me/replies.jsonl",
            "server": "http://localhost:8000/v1",
            "out": Path("/tmp/x/out"),
            "tools": ("a", "b"),
            "nothing": None,
            "odd^name": "x" * 1000,
        }
    ) == {
        "lm": "openai/gpt-4o-mini",
        "replay": "replay:replies.jsonl",
        "server": "http://localhost:8000/v1",
        "out": "out",
        "tools": "a, b",
        "odd_name": "x" * 500,
    }


def test_only_finite_figures_are_kept() -> None:
    assert finite({"test/pass^2": 0.5, "x": math.nan, "y": math.inf}) == {"test/pass_2": 0.5}
