"""Limits, prices and forecasts from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.chat_server import chat_server, said
from tests.worksmith.commands import called, run
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.usefixtures("here")

SMALL = ["--train-limit", 6, "--dev-limit", 4, "--workers", 2, "--candidates", 2, "--json"]


@pytest.mark.slow
def test_a_compile_says_that_a_limit_ended_it_and_goes_on_with_more(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "program.json"
    cut = run(suite.path, "--out", out, "--max-calls", 8, *SMALL)
    assert cut.exit_code == 0
    assert "--max-calls ended the compile" in cut.stderr
    facts = json.loads(cut.stdout)
    assert facts["stopped"] == "max_calls"
    assert facts["undone"]["episodes_at_most"] > 0
    assert 0 < facts["paid_requests"] <= 8
    assert Artifact.read(out).manifest.stopped == "max_calls"

    whole = json.loads(run(suite.path, "--out", out, "--resume", *SMALL).stdout)
    assert "stopped" not in whole
    assert Artifact.read(out).manifest.stopped == ""
    other = json.loads(run(suite.path, "--out", tmp_path / "other.json", *SMALL).stdout)
    assert other["digest"] == whole["digest"]


def test_dollars_need_prices_before_any_work(suite: Suite, tmp_path: Path) -> None:
    out, prices = tmp_path / "program.json", tmp_path / "prices.toml"
    options = [suite.path, "--out", out, "--lm", "openai/nobody-knows", "--max-usd", 1, *SMALL]
    with pytest.raises(InputError, match="price of openai/nobody-knows is not known"):
        run(*options)
    prices.write_text('["openai/nobody-knows"]\ninput = 1\noutput = 2\n')
    facts = json.loads(run(*options, "--prices", prices, "--dry-run").stdout)
    assert facts["forecast"]["expected"]["usd"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prices.toml"]


def test_an_evaluation_stops_with_a_code_of_its_own_and_reports_what_is_finished(suite: Suite) -> None:
    options = [suite.path, "--split", "all", "--log", "log.jsonl", "--workers", 2, "--json"]
    cut = called("eval", *options, "--no-track", "--max-calls", 6)
    assert cut.exit_code == 3
    assert "stopped by --max-calls" in cut.stderr
    (facts,) = json.loads(cut.stdout)["runs"]
    done = facts["summary"]["episodes"]
    assert 0 < done < 36
    assert facts["unstarted"] == 36 - done

    again = called("eval", *options, "--no-track", "--max-calls", 6, "--resume")
    assert again.exit_code == 3
    whole = called("eval", *options, "--no-track", "--max-calls", 600, "--resume")
    assert whole.exit_code == 0
    (facts,) = json.loads(whole.stdout)["runs"]
    assert facts["summary"]["episodes"] == 36
    assert "unstarted" not in facts


@pytest.mark.slow
def test_a_comparison_reports_the_arms_that_were_finished(suite: Suite) -> None:
    options = [suite.path, "--strategies", "act,react,cot", "--optimizers", "none", "--json"]
    whole = json.loads(called("compare", *options, "--no-track").stdout)
    calls = [row["totals"]["model_calls"] for row in whole["rows"] if not row["baseline"]]
    cut = called("compare", *options, "--no-track", "--max-calls", int(calls[0] + 3))
    assert cut.exit_code == 3
    assert "2 of" in cut.stderr
    shown = json.loads(cut.stdout)["rows"]
    assert [row["label"] for row in shown if not row["baseline"]] == ["act"]
    assert [row for row in shown if row["baseline"]]

    done = called("compare", *options, "--no-track", "--max-calls", int(sum(calls)) + 50, "--resume")
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)["rows"]) == len(whole["rows"])


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["bootstrap", "knn", "race", "dspy:BootstrapFewShotWithRandomSearch"])
def test_a_dry_run_foretells_what_a_compile_then_takes(suite: Suite, tmp_path: Path, optimizer: str) -> None:
    options = [suite.path, "--out", tmp_path / "program.json", "--optimizer", optimizer, "--demos", 3, *SMALL]
    foretold = json.loads(run(*options, "--dry-run").stdout)["forecast"]
    assert list(tmp_path.iterdir()) == []
    took = json.loads(run(*options, "--max-calls", 10_000).stdout)

    assert foretold["measured"]
    assert foretold["minutes"] > 0 or took["seconds"] < 1
    # Of so few dev tasks every one is run.
    expected = foretold["expected"]
    assert expected["model_calls"] == pytest.approx(took["paid_requests"], rel=0.2)
    assert expected["used_tokens"] == pytest.approx(took["paid_tokens"], rel=0.2)
    assert foretold["at_most"]["model_calls"] >= expected["model_calls"]


@pytest.mark.slow
def test_a_paid_model_is_asked_only_for_a_sample_whose_price_is_said_first(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name of its own each time: what a model of that name has said is cached.
    name, prices = f"openai/{uuid4()}", tmp_path / "prices.toml"
    prices.write_text(f'["{name}"]\ninput = 1\noutput = 2\n')
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)

        def answer(body: dict[str, Any]) -> dict[str, Any]:
            server.bodies.append(body)
            return said("Tool: finish\nArguments: {}")

        monkeypatch.setattr(server, "answer", answer)
        options = [suite.path, "--out", tmp_path / "program.json", "--lm", name, "--prices", prices, *SMALL]
        guessed = run(*options, "--dry-run", "--max-calls", 1)
        facts = json.loads(guessed.stdout)["forecast"]
        assert "not measured" in guessed.stderr
        assert not facts["measured"]
        assert facts["minutes"] is None
        assert facts["expected"]["usd"] > 0
        assert facts["reaches"] == ["max_calls"]
        assert server.bodies == []

        sampled = run(*options, "--dry-run", "--sample", 1)
        facts = json.loads(sampled.stdout)["forecast"]
        assert "the sample takes" in sampled.stderr
        assert facts["measured"]
        assert facts["minutes"] is not None
        assert 0 < len(server.bodies) <= 3 * 2


def test_a_sample_is_for_a_dry_run(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="for a forecast"):
        run(suite.path, "--out", tmp_path / "program.json", "--sample", 2)
