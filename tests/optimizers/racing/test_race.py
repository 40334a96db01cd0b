from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from benchmarks.soundness import acceptance
from benchmarks.soundness.race import Setting, missed, no_better, same_program
from worksmith.optimizers.racing.race import RunBlock, final, final_episodes, race
from worksmith.optimizers.racing.rules import (
    INCUMBENT,
    IncumbentLostError,
    RaceOutcome,
    Rules,
    Scores,
    fewest_to_seal,
    sealed_intents,
)
from worksmith.optimizers.racing.worth import worth

RULES = Rules()
LENIENT = replace(RULES, lost=0.6)


def each(score: Callable[[str, int], float | None]) -> RunBlock:
    """Runs arms whose score on the task at each place is known."""
    return lambda wanted: {arm: [score(arm, place) for place in places] for arm, places in wanted.items()}


def test_who_is_clearly_better_is_accepted_early() -> None:
    found = race([["good", "bad"]], [1] * 200, each(lambda arm, place: float(arm == "good")), RULES)

    assert found.winner == "good"
    assert found.episodes < 100
    assert found.report("good")["accepted"]
    assert found.report("good")["evidence"] >= found.report("good")["needed"] == 20
    assert found.report("bad")["left"] == "not better than good by 10 points"
    assert found.report(INCUMBENT)["verdict"] == "beaten by good"


@pytest.mark.parametrize(("costs", "winner"), [((9, 5, 5), "b"), ((5, 9, 5), "a"), ((9, 8, 7), "c")])
def test_of_equals_the_cheaper_one_wins_then_the_first(costs: tuple[int, ...], winner: str) -> None:
    known = dict(zip("abc", costs, strict=True))
    run = each(lambda arm, place: float(arm != INCUMBENT))
    for tasks in (12, 100):
        found = race([[*known]], [1] * tasks, run, RULES, cost=lambda arm: known.get(arm, 0))

        assert found.winner == winner


def test_of_those_that_are_as_good_the_cheapest_wins() -> None:
    """Three that pass the test: the best, one that is 5 points behind at half the cost, and a cheap one."""
    failing = {"best": (), "half": range(0, 100, 20), "cheap": range(0, 100, 3), INCUMBENT: range(100)}
    costs = {"best": 10.0, "half": 5.0, "cheap": 1.0}
    for sealed in (0, 70):
        found = race(
            [["best", "half", "cheap"]],
            [1] * 100,
            each(lambda arm, place: float(place not in failing[arm])),
            replace(RULES, finalists=3, beta=0.01, block=30),
            sealed=sealed,
            cost=lambda arm: costs.get(arm, 0),
        )

        assert found.winner == "half"
        assert found.report("best")["accepted"]


def test_copies_of_the_incumbent_show_no_difference() -> None:
    found = race([["a", "b"]], [1] * 80, each(lambda arm, place: float(place % 2)), RULES)

    assert found.winner == INCUMBENT
    assert found.report(INCUMBENT)["verdict"] == "no difference shown"
    assert "at most 0.05" in found.report(INCUMBENT)["claim"]
    assert not any(found.report(name)["accepted"] for name in ("a", "b"))


def test_who_left_runs_no_more() -> None:
    met: dict[str, list[tuple[int, int]]] = {}

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        for arm, places in wanted.items():
            met.setdefault(arm, []).append((places.start, places.stop))
        return {
            arm: [{"good": 0.9, "fair": 0.85}.get(arm, 0.1)] * len(places) for arm, places in wanted.items()
        }

    found = race([["fair", "good", "poor"]], [1] * 100, run, RULES)

    assert found.winner == "good"
    for name, arm in found.arms.items():
        starts, stops = zip(*met[name], strict=True)
        assert [*starts, stops[-1]] == [0, *stops]
        assert len(arm.scores) == stops[-1]
    # The fewer they are, the more tasks a look takes.
    assert met["good"][:1] == [(0, 12)]
    assert max(stop - start for start, stop in met["good"]) > 12
    assert len(found.arms["poor"].scores) < len(found.arms["good"].scores)


@pytest.mark.parametrize("loser", ["a", INCUMBENT])
def test_a_loss_never_helps_a_candidate(loser: str) -> None:
    """Those it did not lose are all right, and those it lost the other failed as well."""

    def score(arm: str, place: int) -> float | None:
        return (None if arm == loser else 0.0) if place % 2 else 1.0

    found = race([["a"]], [1] * 200, each(score), LENIENT)

    assert found.winner == INCUMBENT
    assert found.report("a")["evidence"] == 1


def test_a_candidate_that_loses_too_many_is_set_aside() -> None:
    def score(arm: str, place: int) -> float | None:
        return 0.0 if arm == INCUMBENT else None if arm == "lossy" and place % 5 == 0 else 1.0

    found = race([["lossy", "sound"]], [1] * 100, each(score), RULES)

    assert found.winner == "sound"
    assert "lost" in found.report("lossy")["left"]
    assert "10%" in found.report("lossy")["left"]
    assert found.report("lossy")["accepted"]  # it would have won otherwise


def test_an_incumbent_that_loses_too_many_ends_the_race() -> None:
    def score(arm: str, place: int) -> float | None:
        return None if arm == INCUMBENT and place % 5 == 0 else 1.0

    with pytest.raises(IncumbentLostError, match=r"the program as it is lost \d+ of \d+ episodes"):
        race([["a"]], [1] * 100, each(score), RULES)


def test_a_few_losses_set_nobody_aside() -> None:
    def score(arm: str, place: int) -> float | None:
        return None if place % 20 == 0 else float(arm == "good")

    found = race([["good"]], [1] * 200, each(score), RULES)

    assert found.winner == "good"


def test_the_unit_of_evidence_is_the_intent() -> None:
    """One lucky intent of a hundred tasks is one bet, however many tasks it has."""
    found = race([["a"]], [100, 100], each(lambda arm, place: float(arm == "a")), RULES)

    assert found.winner == INCUMBENT
    assert found.report("a")["intents"] == 2
    assert found.report("a")["evidence"] < 4


def test_blocks_are_of_whole_intents_and_no_intent_counts_before_it_is_complete() -> None:
    seen: list[int] = []

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        seen.extend({places.stop for places in wanted.values()})
        return {arm: [0.5] * len(places) for arm, places in wanted.items()}

    race([["a"]], [7, 30, 5, 11, 40, 3], run, replace(RULES, fill=1))

    assert seen == [37, 53, 93, 96]


def test_nobody_wins_whose_mean_is_not_above_the_incumbents() -> None:
    """Better in every one of many small intents, and worse in a large one, so that its mean is lower."""
    found = race(
        [["a"]], [200, *[1] * 30], each(lambda arm, place: float((arm == "a") == (place >= 200))), RULES
    )

    assert found.report("a")["accepted"]
    assert found.winner == INCUMBENT


@pytest.mark.parametrize("size", [(10, 10), (69, 2)], ids=str)
@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_who_is_lucky_in_some_intents_is_not_accepted(size: tuple[int, int], effect: float) -> None:
    """With one bet a task, the chance was 33 % for 10 intents and an effect of 0.5."""
    found = no_better(Setting(*size, arms=4, effect=effect), 60)

    assert found["false_accepts"] <= RULES.alpha + 0.03


def test_who_loses_its_failures_is_not_accepted() -> None:
    for losing in (0.15, 0.6):
        found = no_better(Setting(69, 2, 1, losing=losing), 60)

        assert found["within_alpha"]


def test_who_is_clearly_better_in_most_intents_is_found() -> None:
    assert missed(Setting(69, 2, 4, planted=0.2), 40) <= 0.2
    assert missed(Setting(10, 10, 1, planted=0.5), 40) <= 0.1


@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_a_program_is_not_told_from_itself(effect: float) -> None:
    found = same_program(Setting(30, 3, 4, effect=effect), 40)

    assert found["false_accepts"] <= RULES.alpha + 0.03


def test_newcomers_meet_what_the_others_have_met_and_only_that_is_run() -> None:
    met: dict[str, list[int]] = {}
    scores = {"first": 0.5, "second": 0.9}

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        for arm, places in wanted.items():
            met.setdefault(arm, []).extend(places)
        return {arm: [scores.get(arm, 0.0)] * len(places) for arm, places in wanted.items()}

    found = race([["first"], ["second"]], [1] * 100, run, RULES, most=2)

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
    found = race(rounds(), [1] * 100, each(lambda arm, place: scores.get(arm, 0.0)), RULES, most=4)

    assert asked == ["poor", "good", "fair"]
    assert found.winner == "good"


def test_who_may_still_enter_is_adjusted_for() -> None:
    def needs(most: int) -> int:
        score = each(lambda arm, place: float(arm == "good"))
        rules = replace(RULES, block=1, fill=1)
        return len(race([["good"]], [1] * 100, score, rules, most=most).arms["good"].scores)

    assert needs(1) < needs(8)


def test_rounds_accept_no_more_that_is_not_better() -> None:
    assert no_better(Setting(138, 1, 4, rounds=True), 40)["false_accepts"] <= RULES.alpha + 0.03


@pytest.mark.parametrize(
    ("intents", "alpha", "sealed"), [(0, 0.05, 0), (1, 0.5, 0), (5, 0.05, 0), (6, 0.05, 5), (60, 0.05, 42)]
)
def test_a_part_of_dev_is_sealed_if_it_can_show_something(intents: int, alpha: float, sealed: int) -> None:
    assert sealed_intents(intents, alpha) == sealed
    assert (intents >= fewest_to_seal(alpha)) == (sealed > 0)


def test_only_finalists_meet_the_sealed_intents_and_only_those_count() -> None:
    """Rounds are made from what was seen before; "lucky" is better on the open tasks only."""
    met: dict[str, list[int]] = {}
    scores = {"fair": 0.5, "good": 0.8, "lucky": 0.9, INCUMBENT: 0.2}
    standing: list[RaceOutcome] = []

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        for arm, places in wanted.items():
            met.setdefault(arm, []).extend(places)
        return {
            arm: [0.1 if arm == "lucky" and place >= 24 else scores.get(arm, 0.0) for place in places]
            for arm, places in wanted.items()
        }

    def rounds() -> Iterator[list[str]]:
        for number, names in enumerate((["fair", "poor"], ["good"], ["lucky"])):
            assert len(standing) >= number
            assert not [place for places in met.values() for place in places if place >= 24]
            yield names

    found = race(rounds(), [2] * 40, run, RULES, sealed=28, on_block=standing.append)

    assert all(places == list(range(len(places))) for places in met.values())
    assert {name for name, places in met.items() if max(places) >= 24} == {INCUMBENT, "lucky", "good"}
    assert found.episodes <= 4 * 24 + 8 + final_episodes([2] * 40, 28, RULES)
    assert "worse half of its round on 8 tasks" in found.report("poor")["left"]
    assert (found.winner, found.report("good")["intents"]) == ("good", (len(met["good"]) - 24) // 2)
    assert not found.report("lucky")["accepted"]
    assert "good is better than the program as it is on" in found.said


@pytest.mark.parametrize(
    ("left", "finalists", "met"), [(168, 2, 28), (167, 1, 28), (112, 1, 28), (111, 1, 27), (3, 1, 0)]
)
def test_a_final_takes_no_more_than_the_budget_lasts_for(left: int, finalists: int, met: int) -> None:
    scores = {INCUMBENT: 0.2, "a": 0.5, "b": 0.4}
    first: list[str] = []

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        first.extend(wanted)
        return {arm: [scores[arm]] * len(places) for arm, places in wanted.items()}

    found = race([[], ["a", "b"]], [2] * 40, run, RULES, sealed=28, left=lambda: left)

    assert (finalists, met) == final([2] * 40, 28, RULES, left)
    assert found.episodes <= 3 * 24 + left
    assert max(len(arm.scores) for arm in found.arms.values()) <= 24 + 2 * met
    # In a round without candidates the incumbent runs alone.
    assert first.index("a") > 1


@pytest.mark.parametrize(("solved", "rounds"), [("1", 2 + RULES.patience), (INCUMBENT, 1)])
def test_a_search_ends_after_rounds_without_a_new_leader(solved: str, rounds: int) -> None:
    asked: list[int] = []

    def entering() -> Iterator[list[str]]:
        for number in range(20):
            asked.append(number)
            yield [f"{number}"]

    found = race(entering(), [1] * 20, each(lambda arm, place: float(arm == solved)), RULES, sealed=14)

    assert (len(asked), found.winner) == (rounds, solved)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({}, "no candidate did better than the program as it is on the 6 open intents"),
        ({"a": 0.3}, r"no candidate is shown to be better; a comes closest, on 14 sealed intents"),
        ({"a": 1.0}, r"a is better than the program as it is on \d+ sealed intents \(evidence "),
    ],
)
def test_why_it_ended_is_said(scores: Mapping[str, float], said: str) -> None:
    found = race([["a"]], [1] * 20, each(lambda arm, place: scores.get(arm, 0.2)), RULES, sealed=14)

    assert re.match(said, found.said)
    assert found.report(INCUMBENT)["said"] == found.said


@pytest.mark.parametrize("sealed", [0, 28])
def test_the_worth_of_the_winner_and_of_each_part(sealed: int) -> None:
    """The part that is worth nothing and the part that is worth all; who lacks a part cannot win."""
    scores = {"all": 0.6, "no text": 0.6, "no demonstrations": 0.1, INCUMBENT: 0.1}

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        return {arm: [scores[arm] for _ in places] for arm, places in wanted.items()}

    found = race(
        [["all"]],
        [2] * 40,
        run,
        RULES,
        sealed=sealed,
        without_parts=lambda _: ["no text", "no demonstrations"],
    )
    gains = worth(found)

    assert {name: round(gain.value, 6) for name, gain in gains.items()} == {
        INCUMBENT: 0.5,
        "no text": 0.0,
        "no demonstrations": 0.5,
    }
    assert {gain.n for gain in gains.values()} == {56 if sealed else 80}
    assert found.report("all")["intents"] < 28
    assert [*found.arms] == [INCUMBENT, "all"]


def test_the_luckiest_of_many_in_many_rounds_are_not_accepted() -> None:
    for rounds, skew in ((1, (0.1, 0.5)), (4, (0.2, 0.8))):
        setting = acceptance.Setting(24, 2, 20 * rounds, *skew)

        assert acceptance.luckiest(setting, rounds, 60)["accepted"] <= RULES.alpha + 0.03
