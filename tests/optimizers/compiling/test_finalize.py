from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import dspy
import pytest

from tests.evals.episodes import make_record, make_result
from tests.optimizers.shop import ANY_MODEL, lm, make_context
from worksmith.evals.records.summary import summarize
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.finalize import accepted
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.racing.rules import INCUMBENT, IncumbentLostError
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.optimizers.search.few_shot import Unchanged
from worksmith.optimizers.trial import Contender, Trial
from worksmith.tools.errors import InfrastructureError

VERBS = ("Cancel", "Rename", "Shift")

PLAIN = Unchanged()


def context(suite: Suite, folder: Path, dev: int = 12, **settings: Any) -> CompileContext:
    made = make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings)
    return replace(made, dev=made.dev[:dev])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knn", "bootstrap", "tpe"])
def test_who_wins_every_intent_takes_the_programs_place(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, demos=12, candidates=2)
    found = accepted(work, PLAIN, optimizer(name).search(work))

    assert found.chosen == found.acceptance["taken"] == found.acceptance["best"] != INCUMBENT
    assert found.acceptance["evidence"] >= found.acceptance["needed"] == 20
    assert found.acceptance["intents"] == 12
    assert found.acceptance["said"].startswith(f"took {found.chosen}: it is better than the program as it is")
    assert found.demonstrations


@pytest.mark.parametrize("name", ["knn", "bootstrap", "tpe"])
def test_what_is_not_shown_to_be_better_is_not_taken(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, dev=3, demos=12, candidates=1)
    made = optimizer(name).search(work)
    found = accepted(work, PLAIN, made)

    assert (found.chosen, found.program, found.demonstrations) == (INCUMBENT, work.program, ())
    assert found.acceptance["best"] == made.chosen
    assert found.acceptance["said"] == (
        f"kept the program as it is: {made.chosen} is not shown to be better than the program as it is on 3 "
        "intents (evidence 7.88 of 20 needed), and with fewer than 5 nothing can be; --accept best takes it "
        "all the same"
    )


@pytest.mark.parametrize("name", ["knn", "bootstrap"])
def test_the_user_may_take_the_best_all_the_same(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, dev=3, demos=12, candidates=1, accept="best")
    made = optimizer(name).search(work)
    found = accepted(work, PLAIN, made)

    assert (found.chosen, found.program) == (made.chosen, made.program)
    assert found.chosen != INCUMBENT


def test_tasks_of_one_intent_are_one_piece_of_evidence(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=12)
    work.dev = [task.model_copy(update={"intent": "the same"}) for task in work.dev]
    found = accepted(work, PLAIN, optimizer("knn").search(work))

    assert (found.chosen, found.acceptance["intents"]) == (INCUMBENT, 1)


@pytest.mark.parametrize("name", ["dspy:BootstrapFewShot", "dspy:BootstrapFewShotWithRandomSearch"])
def test_dspys_own_are_taken_as_they_are_and_that_is_said(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, dev=2, candidates=1)
    made = optimizer(name).search(work)

    assert accepted(work, PLAIN, made) == replace(
        made,
        acceptance={
            "rule": "none",
            "said": "no test was made; what the optimizer returned is taken as it is",
        },
    )


@pytest.mark.parametrize("name", ["none", "race"])
def test_a_race_has_settled_it_and_none_settles_nothing(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, demos=3, candidates=2)
    made = optimizer(name).search(work)

    assert accepted(work, PLAIN, made) == made


def measured(
    work: CompileContext,
    scores: Mapping[str, Sequence[float | None]],
    per_intent: int,
    tokens: Mapping[str, int] | None = None,
) -> Compiled:
    """What an optimizer found that measured programs with these outcomes; None is a lost episode."""
    work.contenders.clear()
    for name, outcomes in scores.items():
        records = [
            make_record(
                number, intent=f"intent-{number // per_intent}", prompt_tokens=(tokens or {}).get(name, 0)
            ).model_copy(
                update={"status": "model_error", "scores": {}}
                if outcome is None
                else {"scores": {"outcome": outcome}}
            )
            for number, outcome in enumerate(outcomes)
        ]
        result = make_result(records, summary=summarize(records))
        trial = Trial.of(name, result, (), work.settings)
        work.contenders.append(Contender(work.program.deepcopy(), (), trial))
    best = max(work.contenders, key=lambda one: one.trial.rank)
    trials = tuple(one.trial for one in work.contenders)
    return Compiled(best.program, (), trials, best.trial.name)


class Adaptive(Unchanged):
    adaptive = True
    compared = 500


def test_candidates_that_scores_led_to_are_tested_as_the_best_of_all_there_are(
    suite: Suite, tmp_path: Path
) -> None:
    work = context(suite, tmp_path)
    made = measured(work, {INCUMBENT: [0.0] * 12, "a": [1.0] * 12, "b": [0.0] * 12}, 1)

    assert accepted(work, PLAIN, made).chosen == "a"
    found = accepted(work, Adaptive(), made)
    assert found.chosen == INCUMBENT
    assert "needed for 500 candidates), and with fewer than 14 nothing can be" in found.acceptance["said"]


def test_the_best_of_those_that_are_shown_to_be_better_is_taken(suite: Suite, tmp_path: Path) -> None:
    """The one with the highest score loses too much on some intents."""
    work = context(suite, tmp_path)
    scores = {
        INCUMBENT: [0.0] * 9 + [0.6] * 7,
        "steady": [0.29] * 9 + [0.89] * 7,
        "wild": [1.0] * 9 + [0.0] * 7,
    }
    made = measured(work, scores, 1)
    found = accepted(work, PLAIN, made)

    assert (made.chosen, found.chosen) == ("wild", "steady")


@pytest.mark.slow
@pytest.mark.parametrize(("intents", "per_intent"), [(10, 10), (69, 2)])
def test_the_best_of_four_that_are_no_better_is_seldom_accepted(
    suite: Suite, tmp_path: Path, intents: int, per_intent: int
) -> None:
    work, taken = context(suite, tmp_path), 0
    for seed in range(15):
        random = Random(seed)
        scores: dict[str, list[float | None]] = {name: [] for name in (INCUMBENT, "a", "b", "c", "d")}
        for _ in range(intents):
            chances = [0.5, *(0.5 + random.choice((-0.25, 0.25)) for _ in range(4))]
            for (_, outcomes), chance in zip(scores.items(), chances, strict=True):
                outcomes += [float(random.random() < chance) for _ in range(per_intent)]
        taken += accepted(work, PLAIN, measured(work, scores, per_intent)).chosen != INCUMBENT

    assert taken <= 0.75 + 2


def test_the_best_dev_score_stands_beside_what_it_is_worth(suite: Suite, tmp_path: Path) -> None:
    random, work = Random(5), context(suite, tmp_path)
    scores = {
        name: [float(random.random() < 0.5) for _ in range(40)] for name in (INCUMBENT, "a", "b", "c", "d")
    }
    found = accepted(work, PLAIN, measured(work, scores, 1))

    best = max(scores, key=lambda name: sum(score for score in scores[name]))
    assert found.acceptance["best"] == best != INCUMBENT
    assert found.acceptance["optimism"]["dev"] == sum(scores[best]) / 40
    assert found.acceptance["optimism"]["corrected"] < sum(scores[best]) / 40


@pytest.mark.parametrize("accept", ["tested", "best"])
@pytest.mark.parametrize("tokens", [{"a": 9, "b": 5, "c": 5}, {"a": 9, "b": 8, "c": 8}])
def test_of_equals_the_cheaper_one_is_taken_then_the_first(
    suite: Suite, tmp_path: Path, accept: str, tokens: dict[str, int]
) -> None:
    work = context(suite, tmp_path, accept=accept)
    scores = {INCUMBENT: [0.0] * 40, **{name: [1.0] * 40 for name in tokens}}

    assert accepted(work, PLAIN, measured(work, scores, 1, tokens)).chosen == "b"


def test_who_loses_its_failures_is_set_aside(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path)
    half: list[float | None] = [float(number % 2) for number in range(40)]
    scores: dict[str, list[float | None]] = {
        INCUMBENT: [0.0] * 40,
        "lossy": [score or None for score in half],
        "sound": half,
    }
    found = accepted(work, PLAIN, measured(work, scores, 1))

    assert found.chosen == "sound"
    assert found.acceptance["said"].endswith(
        "lossy was set aside, it lost 20 of 40 episodes to the infrastructure, more than 10%"
    )


@pytest.mark.parametrize("accept", ["tested", "best"])
@pytest.mark.parametrize(("rest", "taken"), [({}, INCUMBENT), ({"sound": [0.0] * 39 + [1.0]}, "sound")])
def test_nobody_takes_a_program_that_was_set_aside(
    suite: Suite, tmp_path: Path, accept: str, rest: dict[str, list[float | None]], taken: str
) -> None:
    work = context(suite, tmp_path, accept=accept)
    lossy: list[float | None] = [None] * 10 + [1.0] * 30
    made = measured(work, {INCUMBENT: [0.0] * 40, "lossy": lossy, **rest}, 1)
    found = accepted(work, PLAIN, made)

    assert made.chosen == "lossy"
    assert found.chosen == found.acceptance["taken"] == (taken if accept == "best" else INCUMBENT)
    assert "lossy was set aside" in found.acceptance["said"]
    assert ("--accept best takes it" in found.acceptance["said"]) == (accept == "tested" and bool(rest))


def test_without_the_program_as_it_is_nothing_can_be_compared(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path)
    scores: dict[str, list[float | None]] = {INCUMBENT: [None, *[0.0] * 4], "a": [1.0] * 5}
    with pytest.raises(IncumbentLostError, match="lost 1 of 5 episodes") as caught:
        accepted(work, PLAIN, measured(work, scores, 1))

    assert isinstance(caught.value, InfrastructureError)


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
    found = accepted(work, peer, peer.search(work))

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
    found = accepted(work, peer, peer.search(work))

    assert (said or "no test was made") in found.acceptance["said"]
    assert ("not corrected" in found.acceptance["said"]) == bool(said)
