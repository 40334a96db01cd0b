from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from benchmarks.race import ROUNDS, outcomes, over, planted
from optimizers.aa import false_accepts
from optimizers.racing import INCUMBENT, Rules, Run, Scores, race

RULES = Rules()


def each(score: Callable[[str, int], float | None]) -> Run:
    """Runs arms whose score on the task at each place is known."""
    return lambda wanted: {arm: [score(arm, place) for place in places] for arm, places in wanted.items()}


def test_who_is_clearly_better_is_accepted_early() -> None:
    found = race([["good", "bad"]], 200, each(lambda arm, place: float(arm == "good")), RULES)

    assert found.winner == "good"
    assert found.episodes < 100
    assert found.report("good")["accepted"]
    assert found.report("good")["evidence"] >= found.report("good")["needed"] == 20
    assert found.report("bad")["left"] == "not better than good by 10 points"
    assert found.report(INCUMBENT)["verdict"] == "beaten by good"


def test_copies_of_the_incumbent_show_no_difference() -> None:
    found = race([["a", "b"]], 80, each(lambda arm, place: float(place % 2)), RULES)

    assert found.winner == INCUMBENT
    assert found.report(INCUMBENT)["verdict"] == "no difference shown"
    assert not any(found.report(name)["accepted"] for name in ("a", "b"))


def test_everybody_worse_ends_the_race() -> None:
    found = race([["a", "b"]], 500, each(lambda arm, place: float(arm == INCUMBENT)), RULES)

    assert found.winner == INCUMBENT
    assert found.episodes < 100
    assert {found.arms[name].left for name in "ab"} == {"not better than uncompiled by 10 points"}


def test_who_left_runs_no_more() -> None:
    met: dict[str, list[tuple[int, int]]] = {}

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        for arm, places in wanted.items():
            met.setdefault(arm, []).append((places.start, places.stop))
        return {
            arm: [{"good": 0.9, "fair": 0.85}.get(arm, 0.1)] * len(places) for arm, places in wanted.items()
        }

    found = race([["fair", "good", "poor"]], 100, run, RULES)

    assert found.winner == "good"
    for name, arm in found.arms.items():
        starts, stops = zip(*met[name], strict=True)
        assert [*starts, stops[-1]] == [0, *stops]
        assert len(arm.scores) == stops[-1]
    # The fewer they are, the more tasks a look takes.
    assert met["good"][:1] == [(0, 12)]
    assert max(stop - start for start, stop in met["good"]) > 12
    assert len(found.arms["poor"].scores) < len(found.arms["good"].scores)


def test_failures_of_the_infrastructure_are_no_pairs() -> None:
    found = race([["a"]], 40, each(lambda arm, place: None), RULES)

    assert found.winner == INCUMBENT
    assert found.report("a")["evidence"] == 1


def test_partial_scores_count_as_they_are() -> None:
    found = race([["a"]], 200, each(lambda arm, place: 0.8 if arm == "a" else 0.4), RULES)

    assert found.winner == "a"


def test_the_same_outcomes_give_the_same_race() -> None:
    table = outcomes([0.5, 0.6, 0.5], "same")

    assert over(table, RULES) == over(table, RULES)


@pytest.mark.parametrize("effect", [0.0, 0.2])
def test_planted_differences_are_judged_within_the_stated_rates(effect: float) -> None:
    found = planted(effect, 25, RULES)

    assert found["false_accepts"]["value"] <= RULES.alpha
    assert found["left_wrongly"]["value"] <= RULES.beta
    assert found["missed"]["value"] <= 0.12
    assert found["episodes_share"] < 0.7


def test_a_program_is_not_told_from_itself() -> None:
    found = false_accepts(outcomes([0.5] * 5, "aa"), RULES, seed=0, resamplings=40)

    assert found.n == 40
    assert found.value <= RULES.alpha


def test_newcomers_meet_what_the_others_have_met_and_only_that_is_run() -> None:
    met: dict[str, list[int]] = {}
    scores = {"first": 0.5, "second": 0.9}

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        for arm, places in wanted.items():
            met.setdefault(arm, []).extend(places)
        return {arm: [scores.get(arm, 0.0)] * len(places) for arm, places in wanted.items()}

    found = race([["first"], ["second"]], 100, run, RULES, most=2)

    assert found.winner == "second"
    assert all(places == list(range(len(places))) for places in met.values())
    assert len(met["second"]) >= len(met["first"])
    assert found.report("first")["accepted"]


def test_rounds_end_once_one_brings_nobody_better() -> None:
    asked: list[str] = []

    def rounds() -> Iterator[list[str]]:
        for name in ("poor", "good", "fair", "best"):
            asked.append(name)
            yield [name]

    scores = {"good": 0.8, "fair": 0.6, "best": 1.0}
    found = race(rounds(), 100, each(lambda arm, place: scores.get(arm, 0.0)), RULES, most=4)

    assert asked == ["poor", "good", "fair"]
    assert found.winner == "good"


def test_who_may_still_enter_is_adjusted_for() -> None:
    def needs(most: int) -> int:
        score = each(lambda arm, place: float(arm == "good"))
        rules = replace(RULES, block=1, fill=1)
        return len(race([["good"]], 100, score, rules, most=most).arms["good"].scores)

    assert needs(1) < needs(8)


def test_how_a_race_would_end_is_told_on_the_way() -> None:
    told: list[str] = []
    score = each(lambda arm, place: float(arm == "good" and place > 20))
    found = race([["good"]], 100, score, RULES, told=lambda standing: told.append(standing.winner))

    assert (told[0], told[-1]) == (INCUMBENT, "good")
    assert found.winner == told[-1]


def test_rounds_accept_no_more_that_is_not_better() -> None:
    assert planted(0.0, 40, RULES, ROUNDS)["false_accepts"]["value"] <= RULES.alpha
