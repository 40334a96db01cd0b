"""Strategies of users and of packages, with a loop of their own."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from tests.worksmith.commands import printed
from worksmith.evals.suite import Suite
from worksmith.plugins.agents import EpisodeLoop, Strategy
from worksmith.programs import strategies
from worksmith.tools import registry
from worksmith.tools.registry import Registry


class Twice(EpisodeLoop):
    """Asks twice for each call."""

    def choose(self) -> dspy.Prediction:
        super().choose()
        return super().choose()


TWICE = Strategy("twice", "the second of two calls", loop=Twice)
REACT = Strategy("react", "something else", loop=Twice)
ADDRESS = "tests.worksmith.jobs.test_own_strategies:"


@pytest.fixture(autouse=True)
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No strategy was named yet in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(strategies, "PLUGINS", Registry("worksmith.strategies", Strategy, "strategy"))


def ran(*words: str) -> Any:
    return printed(*words, "--lm", "gold", "--no-track")


def test_a_strategy_by_its_address_is_compared_and_taught_by_gold(suite: Suite, tmp_path: Path) -> None:
    path, file = str(suite.path), str(tmp_path / "twice.json")
    own = f"{ADDRESS}TWICE"
    told = ran("compare", path, "--strategies", f"act,{own}", "--optimizers", "none", "--limit", "3")
    rows = {row["label"]: row for row in told["rows"] if not row["baseline"]}
    assert [*rows] == ["act", "twice"]
    calls = {name: row["means"]["model_calls"] for name, row in rows.items()}
    assert calls["twice"] == 2 * calls["act"]

    compiled = ran("compile", path, "--strategy", own, "--optimizer", "knn", "--accept", "best", "-o", file)
    assert compiled["demonstrations"] > 0
    assert ran("eval", path, "--program", file)["runs"][0]["summary"]["scores"]["outcome"]["value"] == 1


def test_a_file_names_no_loop(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(tmp_path / "twice.json")
    own = ("--strategy", f"{ADDRESS}TWICE")
    ran("compile", str(suite.path), *own, "--optimizer", "none", "--dev-limit", "3", "-o", file)
    monkeypatch.setattr(strategies, "PLUGINS", Registry("worksmith.strategies", Strategy, "strategy"))
    with pytest.raises(ws.InputError, match=r"its own loop, .*Twice.*--strategy package.module:NAME"):
        ran("eval", str(suite.path), "--program", file, "--limit", "1")
    with pytest.raises(ws.InputError, match=r"its own loop, .*Twice"):
        printed("verify", file)
    assert printed("verify", file, "--strategy", own[1])["identical"]
    assert ws.load(file, ws.Agent(TWICE, suite.env)).strategy is TWICE
    assert ran("eval", str(suite.path), "--program", file, "--limit", "1", *own)["runs"]


def test_a_package_offers_a_strategy_by_its_name(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("twice", f"{ADDRESS}TWICE", "worksmith.strategies")
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == entry.group else [])
    assert ws.Agent("twice", suite.env).strategy is TWICE
    with pytest.raises(ws.InputError, match=r"no strategy 'thrice'.*twice"):
        ws.Agent("thrice", suite.env)


@pytest.mark.parametrize(
    ("name", "why"), [("REACT", "there is another strategy 'react'"), ("Twice", "is not a Strategy")]
)
def test_what_is_no_new_strategy_is_refused(name: str, why: str) -> None:
    with pytest.raises(ws.InputError, match=why):
        ws.Agent(f"{ADDRESS}{name}")
