from __future__ import annotations

import itertools
import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.statistics.sequential import Evidence, adjusted, fewest_intents, needed

DIFFERENCES = st.lists(st.floats(-1, 1), max_size=60)
NEED = needed(0.05)


def evidence(differences: list[float], bound: float = 0.0, need: float = NEED) -> float:
    found = Evidence(len(differences), need, bound)
    found.add(differences)
    return found.log


@given(DIFFERENCES, st.floats(-0.9, 0.9))
def test_portions_do_not_matter(differences: list[float], bound: float) -> None:
    in_portions = Evidence(len(differences), NEED, bound)
    for place in range(0, len(differences), 7):
        in_portions.add(differences[place : place + 7])

    assert in_portions.log == evidence(differences, bound)


@given(st.floats(-1, 1), st.floats(-0.9, 0.9))
def test_a_fair_bet_pays_nothing(worst: float, bound: float) -> None:
    # Two values whose mean is the bound: whatever they are, money is not made on average.
    low = min(worst, bound)
    high = 1.0
    weight = (bound - low) / (high - low)
    mean = (1 - weight) * math.exp(evidence([low], bound)) + weight * math.exp(evidence([high], bound))

    assert mean <= 1 + 1e-9


@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 60)
)
def test_correlated_tasks_of_an_intent_pay_nothing(population: list[list[float]], intents: int) -> None:
    """All rows of intents drawn from a population that is no better: the mean evidence is at most 1."""
    means = [math.fsum(tasks) / len(tasks) for tasks in population]
    fair = [mean - max(0.0, math.fsum(means) / len(means)) for mean in means]
    differences = [max(-1.0, mean) for mean in fair]
    if math.fsum(differences) > 0:
        return
    rows = list(itertools.product(differences, repeat=3))
    paid = 0.0
    for row in rows:
        found = Evidence(intents, NEED)
        found.add(row)
        paid += math.exp(found.log) / len(rows)

    assert paid <= 1 + 1e-9


@pytest.mark.parametrize(
    ("intents", "candidates", "chance", "loss"),
    [(8, 4, 0.05, 0.9), (12, 1, 0.05, 0.9), (20, 1, 0.2, 0.8), (70, 4, 0.1, 0.5)],
)
def test_skewed_differences_without_a_mean_are_seldom_accepted(
    intents: int, candidates: int, chance: float, loss: float
) -> None:
    """With a small chance an intent loses much, else it gains a little: on average nothing."""
    random, gain = Random(0), chance * loss / (1 - chance)

    def accepts() -> bool:
        leads = [
            [-loss if random.random() < chance else gain for _ in range(intents)] for _ in range(candidates)
        ]
        return max(adjusted([evidence(lead, need=needed(0.05 / candidates)) for lead in leads])) >= NEED

    assert sum(accepts() for _ in range(400)) <= 400 * 0.05


@pytest.mark.parametrize(("candidates", "fewest"), [(1, 5), (4, 7), (20, 9), (500, 14)])
def test_below_so_many_intents_nothing_can_be_shown(candidates: int, fewest: int) -> None:
    assert fewest_intents(0.05, candidates) == fewest
    for intents in range(fewest - 2, fewest + 20):
        best = evidence([1.0] * intents, need=needed(0.05 / candidates))
        assert (adjusted([best], candidates - 1)[0] >= NEED) == (intents >= fewest)


def test_enough_is_not_risked_again() -> None:
    assert evidence([1.0] * 40 + [-1.0] * 20) >= NEED


def test_ties_say_nothing() -> None:
    assert evidence([0.0] * 1000) == Evidence(1000, NEED).log < 0
    assert evidence([]) == 0.0


def test_a_difference_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="between scores"):
        evidence([1.5])


def test_looking_after_every_task_finds_nothing_in_nothing() -> None:
    """400 looks at a fair coin, 150 times: Ville's inequality, with room for chance."""
    crossed = 0
    for seed in range(150):
        random, found = Random(seed), Evidence(400, NEED)
        for _ in range(400):
            found.add([random.choice((-1.0, 1.0))])
            if found.log >= needed(0.05):
                crossed += 1
                break

    assert 0 < crossed <= 150 * 0.05 + 6


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=9))
def test_adjusting_asks_for_more_but_never_more_than_bonferroni(logs: list[float]) -> None:
    for own, fair in zip(logs, adjusted(logs), strict=True):
        assert own - math.log(len(logs)) - 1e-9 <= fair <= own + 1e-9


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.floats(-50, 50), st.floats(0, 20))
def test_more_evidence_never_counts_less(logs: list[float], own: float, more: float) -> None:
    assert adjusted([own + more, *logs])[0] >= adjusted([own, *logs])[0] - 1e-9


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.integers(0, 5))
def test_who_has_not_come_counts_as_no_evidence(logs: list[float], absent: int) -> None:
    assert adjusted(logs, absent) == pytest.approx(adjusted([*logs, *[-700.0] * absent])[: len(logs)])


def test_company_helps() -> None:
    alone = adjusted([3.5, -5.0, -5.0])
    together = adjusted([3.5, 3.5, 3.5])

    assert alone[0] < needed(0.05) < together[0]
