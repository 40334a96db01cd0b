"""Two raters at a terminal, with what they type on standard input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.e2e.conftest import invoke
from worksmith.cli.app import app

pytestmark = pytest.mark.slow


def rate(*arguments: object, typed: str) -> Result:
    given = ["rate", *(str(argument) for argument in arguments), "--json", "--no-track"]
    return CliRunner().invoke(app, given, input=typed)


def said(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return data


@pytest.fixture
def logs(office: Path, here: Path) -> list[Path]:
    made = []
    for strategy in ("act", "react"):
        log = here / f"{strategy}.jsonl"
        done = invoke(
            "eval", office, "--strategy", strategy, "--lm", "gold", "--limit", 4, "--log", log, "--no-track"
        )
        assert done.exit_code == 0, done.output
        made.append(log)
    return made


def test_two_raters_rate_the_same_episodes_and_their_agreement_is_told(logs: list[Path]) -> None:
    # Two tasks of two runs: correctness of four episodes, realism of two tasks.
    first = rate(*logs, "--rater", "ann", "--sample", 2, typed="5 fine\n" * 6)
    second = said(rate(*logs, "--rater", "bob", "--sample", 2, typed="4\n" * 6))

    assert said(first)["agreement"]["correctness"]["ratings"] == 4
    assert second["agreement"]["correctness"] | {"alpha": None} == {
        "raters": 2,
        "ratings": 8,
        "alpha": None,
        "mean": 4.5,
    }
    assert second["agreement"]["realism"]["alpha"]["n"] == 2
    # Nobody ever agreed: less than chance.
    assert second["agreement"]["correctness"]["alpha"]["value"] < 0
    assert set(second["runs"]) == {"act, gold", "react, gold"}
    assert second["runs"]["act, gold"]["correctness"]["value"] == pytest.approx(4.5)


def test_a_rater_who_stops_goes_on_where_the_rating_stopped(logs: list[Path]) -> None:
    stopped = rate(*logs, "--rater", "ann", "--sample", 2, "--scales", "correctness", typed="5\nwhat\n3\nq\n")
    assert said(stopped)["agreement"]["correctness"]["ratings"] == 2
    assert "'what' is none of these" in stopped.output

    rest = rate(*logs, "--rater", "ann", "--sample", 2, "--scales", "correctness", typed="1\n1\n")
    assert said(rest)["agreement"]["correctness"]["ratings"] == 4
    done = rate(*logs, "--rater", "ann", "--sample", 2, "--scales", "correctness", typed="")
    assert said(done)["agreement"]["correctness"]["ratings"] == 4


def test_raters_are_not_told_whose_episode_it_is_or_what_it_scored(logs: list[Path]) -> None:
    result = rate(*logs, "--rater", "ann", "--sample", 2, typed="q\n")
    shown = result.stderr
    assert "answer" in shown
    for secret in ("react", "gold", "outcome", "correct:", str(logs[0].stem) + ".jsonl"):
        assert secret not in shown.replace("correctness", "")


def test_nobody_can_rate_without_a_name(logs: list[Path]) -> None:
    for nobody in ([], ["--rater", " "]):
        result = rate(*logs, *nobody, typed="")
        assert result.exit_code != 0
        assert "--rater" in str(result.exception)
