from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.optimizers.shop import ANY_MODEL, lm, make_context
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.finalize import accepted
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.optimizers.search.few_shot import Unchanged

VERBS = ("Cancel", "Rename", "Shift")

PLAIN = Unchanged()


def context(suite: Suite, folder: Path, dev: int = 12, **settings: Any) -> CompileContext:
    made = make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings)
    return replace(made, dev=made.dev[:dev])


@pytest.mark.parametrize("name", ["none", "race", "knn"])
def test_a_race_has_settled_it_and_none_settles_nothing(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, demos=3, candidates=2)
    made = optimizer(name).search(work)

    assert accepted(PLAIN, made) == made


PEERS = [name for name in ANY_MODEL if name.startswith("dspy:")]
ROLES = {
    *("self", "student", "teacher", "metric", "trainset", "valset", "seed", "num_threads", "eval_kwargs"),
    *("prompt_model", "task_model", "reflection_lm", "teacher_settings", "max_metric_calls"),
    *("track_stats", "warn_on_score_mismatch", "optimizer_compile_args"),
}
"""Arguments that say with what a peer works, how much it may take, or what it writes down."""


def defaults_of(method: Any) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(method).parameters.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_in_what_a_peer_does_not_run_as_it_comes_is_told(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    changed: set[str] = set()

    def watch(kind: type, method: str) -> None:
        plain = getattr(kind, method)

        @functools.wraps(plain)
        def watched(self: Any, *args: Any, **given: Any) -> Any:
            if sys._getframe(1).f_globals["__name__"].startswith("worksmith.optimizers."):
                own = defaults_of(dspy.BootstrapFewShot.__init__) | defaults_of(plain)
                changed.update(one for one, value in given.items() if value != own.get(one))
            return plain(self, *args, **given)

        monkeypatch.setattr(kind, method, watched)

    for kind in {getattr(dspy, peer.removeprefix("dspy:")) for peer in PEERS}:
        for method in ("__init__", "compile"):
            if method in vars(kind):
                watch(kind, method)
    optimizer(name).search(context(suite, tmp_path, dev=2, demos=3, candidates=2))

    assert OPTIMIZERS[name].differs
    steps = {"demos", "instructions"}
    assert {one for one in changed - ROLES - steps if one not in OPTIMIZERS[name].differs.split()} == set()


def test_what_a_peer_is_told_stands_in_the_report(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, dev=2, candidates=1)
    peer = optimizer("dspy:BootstrapFewShot")
    found = accepted(peer, peer.search(work))

    assert found.acceptance["said"].endswith(f"in this run {OPTIMIZERS['dspy:BootstrapFewShot'].differs}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "dspy:BootstrapFewShotWithRandomSearch",
            "its dev score is the best of 4 programs, and not corrected",
        ),
        ("dspy:InferRules", "its dev score is the best of those that the optimizer measured there, and not"),
        ("dspy:BootstrapFewShot", ""),
    ],
)
def test_a_dev_score_that_a_peer_chose_by_is_said_to_flatter(
    suite: Suite, tmp_path: Path, name: str, said: str
) -> None:
    work = context(suite, tmp_path, dev=2, candidates=2)
    peer = optimizer(name)
    found = accepted(peer, peer.search(work))

    assert (said or "no test was made") in found.acceptance["said"]
    assert ("not corrected" in found.acceptance["said"]) == bool(said)
