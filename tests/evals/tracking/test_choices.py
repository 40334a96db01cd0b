"""What is tracked, where, and in which words; without a store."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.evals.episodes import make_record, mixed
from tests.tables import each_row
from worksmith.evals.tracking import TraceChoice, Tracker, open_tracker
from worksmith.evals.tracking.figures import finite, params_text
from worksmith.evals.tracking.registry import Registration
from worksmith.evals.tracking.store import tracking_uri
from worksmith.tools.errors import InputError


def test_failures_and_a_sample_of_the_rest_become_traces() -> None:
    records = list(mixed(40).records)
    choice = TraceChoice(failures=5, others=3)
    chosen = choice.of(records, seed=0)

    assert [record.task_id for record in chosen[:5]] == [f"task-{n:03}" for n in (0, 2, 4, 6, 8)]
    assert {record.scores["outcome"] for record in chosen[5:]} == {1.0}
    assert chosen == choice.of(records, seed=0)


def test_episodes_in_which_nothing_happened_get_no_trace() -> None:
    idle = [make_record(number, scores={"outcome": number % 2}) for number in range(4)]
    lost = make_record(4, status="model_error", scores={}, error="503")

    assert TraceChoice().of([*idle, lost], seed=0) == [lost]
    assert TraceChoice.parse("sample:9").of([*idle, lost], seed=0) == [lost]
    assert len(TraceChoice.parse("all").of([*idle, lost], seed=0)) == 5


@each_row(
    ("said", "traces"),
    [("some", 41), ("most", 41), ("all", 41), ("failures", 21), ("sample:7", 7), ("none", 0)],
)
def test_what_becomes_a_trace_can_be_said(said: str, traces: int) -> None:
    records = mixed(40).records

    chosen = TraceChoice.parse(said).of(records, seed=3)

    assert len({record.key for record in chosen}) == traces
    assert chosen == TraceChoice.parse(said).of(records, seed=3)


def test_a_sample_does_not_depend_on_the_order() -> None:
    records, choice = mixed(40).records, TraceChoice.parse("sample:7")
    chosen = choice.of(records, seed=3)

    assert {each.key for each in choice.of(records[::-1], seed=3)} == {each.key for each in chosen}


@each_row("said", ["few", "sample", "sample:0", "sample:-1", "sample:x", "", "ALL"])
def test_other_choices_are_refused(said: str) -> None:
    with pytest.raises(InputError, match=r"--traces: no choice .*some, most, all, failures, none, sample:N"):
        TraceChoice.parse(said)


@pytest.mark.parametrize(
    ("said", "name", "alias"), [("desk", "desk", None), ("desk-2.b@champion", "desk-2.b", "champion")]
)
def test_a_model_is_registered_under_a_name_and_an_alias(said: str, name: str, alias: str | None) -> None:
    assert Registration.parse(said) == Registration(name, alias)


@each_row("said", ["", "@x", "a/b", "a:b", "a@", "a@latest", "a@v2", "a@b@c", "a@1x"])
def test_names_that_mlflow_would_not_take_are_refused(said: str) -> None:
    with pytest.raises(InputError, match="--register"):
        Registration.parse(said)


def test_without_tracking_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tracker = open_tracker(track=False)
    with tracker.start("eval", params={"a": 1}) as run, run.child("x") as child:
        child.evaluation(mixed(2), split="test")
        child.text("x", "y.txt")

    assert isinstance(tracker, Tracker)
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
    for address in ("http://host:port", "http://[::1", "postgresql://me:hunter#2@host/db"):
        with pytest.raises(InputError, match="host and port") as raised:
            open_tracker(address)
        assert "hunter" not in str(raised.value)


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
    assert finite({"pass^2": 0.5, "x": math.nan, "y": math.inf}) == {"pass_2": 0.5}
