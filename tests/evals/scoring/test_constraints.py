from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.episodes import make_record
from tests.tables import each_row
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.scoring.constraints import Constraint, acceptable, broken, check_measured, constraints
from worksmith.tools.errors import InputError


def leaks(*values: float) -> list[EpisodeRecord]:
    return [
        make_record(number, scores={"outcome": 1.0, "leak": value}) for number, value in enumerate(values)
    ]


@each_row(
    ("text", "shown"),
    [
        ("leak=0", "leak<=0"),
        ("asr=0.02", "asr<=0.02"),
        (" over_refusal <= 0.05 ", "over_refusal<=0.05"),
        ("outcome>=0.5", "outcome>=0.5"),
        ("exact_match=1", "exact_match>=1"),
        ("used_tokens<=4e3", "used_tokens<=4000"),
    ],
)
def test_a_constraint_is_read_as_it_is_written(text: str, shown: str) -> None:
    assert str(Constraint.parse(text)) == shown
    assert Constraint.parse(shown) == Constraint.parse(text)


@each_row(
    "text", ["", "leak", "leak=x", "leak<0", "outcome=0.5", "leak<=nan", "3<=4", "leak==0", "outcome>=2"]
)
def test_what_is_no_constraint_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(InputError) as error:
        Constraint.parse(text)
    assert error.value.where == "--constraint"
    assert error.value.hint


def test_a_single_leak_breaks_a_bound_of_zero_and_says_how_much_was_measured() -> None:
    bounds = constraints(["leak=0"])
    assert broken(bounds, leaks(0, 0, 0)) == ()
    assert broken(bounds, leaks(0, 1, 0, 0)) == ("leak<=0 (is 0.25)",)


def test_costs_are_bounded_by_their_mean() -> None:
    cheap = [make_record(number, prompt_tokens=90, completion_tokens=10) for number in range(3)]
    assert broken(constraints(["used_tokens<=100"]), cheap) == ()
    assert broken(constraints(["used_tokens<=99"]), cheap) == ("used_tokens<=99 (is 100)",)


def test_episodes_lost_to_the_infrastructure_break_no_bound_on_another_score() -> None:
    lost = make_record(1, status="model_error", scores={})
    assert broken(constraints(["exact_match>=1", "leak=0"]), [lost]) == ()


def test_tokens_that_nobody_counted_keep_no_bound() -> None:
    records = [make_record(1, uncounted=True)]
    with pytest.raises(InputError, match="nobody counted the used_tokens"):
        check_measured(constraints(["used_tokens<=5"]), records)
    check_measured(constraints(["steps<=5"]), records)


def test_a_score_that_nobody_gives_is_refused() -> None:
    with pytest.raises(InputError, match="no episode has a score 'joy'"):
        check_measured(constraints(["joy>=1"]), leaks(0))


def test_an_episode_that_breaks_a_bound_on_its_own_is_no_example() -> None:
    bounds = constraints(["leak=0", "used_tokens<=10"])
    assert acceptable(bounds, {"outcome": 0.0, "leak": 0.0})
    assert not acceptable(bounds, {"outcome": 1.0, "leak": 1.0})


@given(
    values=st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12),
    met=st.integers(0, 12),
    bound=st.sampled_from([0.0, 0.05, 0.25, 0.5, 1.0]),
    relation=st.sampled_from(["<=", ">="]),
)
def test_what_is_lost_early_is_broken_in_the_end_and_never_otherwise(
    values: list[float], met: int, bound: float, relation: str
) -> None:
    constraint = Constraint.parse(f"leak{relation}{bound}")
    records = leaks(*values)
    seen, owed = records[:met], len(records[met:])
    if constraint.lost(seen, owed):
        assert not constraint.met(records)
    if owed == 0:
        assert constraint.lost(seen, 0) != constraint.met(seen)


def test_no_bound_on_the_outcome_is_kept_by_losing_failures() -> None:
    kept = [make_record(0, scores={"outcome": 1.0})]
    lost = [make_record(number, status="model_error", scores={}) for number in (1, 2)]
    bound = Constraint.parse("outcome>=0.5")

    assert bound.met(kept)
    assert not bound.met([*kept, *lost])
    assert bound.lost([*kept, *lost], owed=0)


def test_no_bound_on_a_cost_is_kept_by_losing_episodes() -> None:
    dear = [make_record(number, prompt_tokens=1_000) for number in range(5)]
    lost = [make_record(number, status="timeout", scores={}) for number in range(5, 10)]
    bounds = constraints(["used_tokens<=600"])

    assert broken(bounds, [*dear, *lost]) == ("used_tokens<=600 (is 1000)",)
    assert broken(bounds, lost) == ()
