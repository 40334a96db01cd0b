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
