"""A stage is done once for the same inputs, and a killed one goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.stages import At, Stage, Work


def test_a_stage_is_done_again_only_if_its_inputs_changed(tmp_path: Path) -> None:
    done: list[str] = []

    def first(at: At) -> dict[str, Any]:
        done.append("first")
        return {"digest": str(at.settings["seed"] // 2)}

    def second(at: At) -> dict[str, Any]:
        done.append("second")
        return {"digest": at.results["a"]["digest"]}

    def study_of(seed: int) -> list[str]:
        done.clear()
        work = Work(tmp_path, [Stage("a", first, {"seed": seed}), Stage("b", second, needs=["a"])])
        assert work.inputs("b") is None or work.result("a") is not None
        for name in work.chosen(None):
            work.do(name)
        return list(done)

    assert study_of(2) == ["first", "second"]
    assert study_of(2) == []
    assert study_of(3) == ["first"]  # with the same result
    assert study_of(4) == ["first", "second"]


def test_a_killed_stage_finds_its_files_and_another_one_does_not(tmp_path: Path) -> None:
    def killed(at: At) -> dict[str, Any]:
        (at.folder / "half").write_text("x")
        raise KeyboardInterrupt

    def goes_on(at: At) -> dict[str, Any]:
        return {"digest": str((at.folder / "half").exists())}

    goes_on.__name__ = killed.__name__
    with pytest.raises(KeyboardInterrupt):
        Work(tmp_path, [Stage("a", killed)]).do("a")
    assert Work(tmp_path, [Stage("a", goes_on, {"seed": 1})]).do("a")["digest"] == "False"
    with pytest.raises(KeyboardInterrupt):
        Work(tmp_path, [Stage("b", killed)]).do("b")
    assert Work(tmp_path, [Stage("b", goes_on)]).do("b")["digest"] == "True"


def test_a_stage_is_expected_to_be_as_fast_as_one_that_was_measured(tmp_path: Path) -> None:
    work = Work(tmp_path, [Stage("a", lambda _: {"digest": "", "each": 60.0}, amount=2, pace="p", each=1.0)])
    before = work.minutes("a")
    work.do("a")
    assert (before, work.minutes("a")) == (2 / 60, 2.0)
