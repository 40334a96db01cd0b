"""`--resume` says what it does not take over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import invoke

EVAL = ("--lm", "gold", "--limit", 3, "--no-track")


@pytest.mark.parametrize("log", [("--log", "log.jsonl"), ()], ids=["log of its own", "log of the command"])
def test_eval_says_how_many_episodes_are_taken_over_and_why_others_are_not(
    office: Path, here: Path, log: tuple[str, ...]
) -> None:
    first = invoke("eval", office, *EVAL, *log)
    again = invoke("eval", office, *EVAL, *log, "--resume")

    assert "--resume" not in first.stderr
    assert "--resume: 3 episodes are taken over from the log, 0 are run\n" in again.stderr


def test_another_strategy_state_or_seed_in_one_log_is_told(office: Path, here: Path) -> None:
    options = ("eval", office, *EVAL, "--log", "log.jsonl", "--strategy", "act")
    invoke(*options)
    other = invoke(*options, "--max-steps", 7, "--resume")

    assert "0 episodes are taken over from the log, 3 are run; of these" in other.stderr
    assert "3 for the program's state" in other.stderr


def test_compare_says_it_of_each_program(office: Path, here: Path) -> None:
    options = ("compare", office, "--lm", "gold", "--strategies", "act", "--optimizers", "none", "--limit", 3)
    assert invoke(*options, "--no-track").exit_code == 0
    again = invoke(*options, "--no-track", "--resume")

    assert again.exit_code == 0, again.output
    assert "3 episodes are taken over" in again.stderr
