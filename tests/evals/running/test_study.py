from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from tests.evals.episodes import make_record, make_result, solved
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Row, Study, StudyArm, run_study
from worksmith.tools.errors import InputError


def study(results: dict[str, EvalResult], baselines: Iterable[str] = ()) -> Study:
    arms = [StudyArm(label, baseline=label in baselines) for label in results]
    return run_study(arms, lambda arm: results[arm.label])


def test_differences_are_paired_with_the_first_arm() -> None:
    found = study({"act": solved(range(50), of=100), "react": solved(range(70), of=100)})
    first, second = found.rows

    assert first.against_first is None
    assert second.against_first is not None
    assert second.against_first.difference.value == pytest.approx(0.2)
    assert not second.against_first.difference.low <= 0 <= second.against_first.difference.high
    assert second.against_first.test is not None
    assert (second.against_first.test.only_ours, second.against_first.test.only_theirs) == (20, 0)


def test_a_program_against_itself_shows_no_difference() -> None:
    found = study({"one": solved(range(30), of=60), "two": solved(range(30), of=60)})
    comparison = found.rows[1].against_first

    assert comparison is not None
    assert comparison.difference.value == 0
    assert comparison.difference.low <= 0 <= comparison.difference.high
    assert comparison.p == 1
    assert found.winner is None


def test_p_values_are_adjusted_for_the_number_of_comparisons() -> None:
    alone = study({"a": solved(range(30), of=60), "b": solved(range(38), of=60)})
    among = study(
        {
            "a": solved(range(30), of=60),
            "b": solved(range(38), of=60),
            "c": solved(range(30), of=60),
            "d": solved(range(31), of=60),
        }
    )

    assert alone.rows[1].against_first is not None
    assert among.rows[1].against_first is not None
    assert among.rows[1].against_first.p == pytest.approx(3 * (alone.rows[1].against_first.p or 0))


def test_the_winner_must_beat_every_candidate_but_no_baseline() -> None:
    results = {
        "act": solved(range(40), of=100),
        "react": solved(range(70), of=100),
        "gold": solved(range(100), of=100),
    }

    assert study(results).winner is not None
    winner = study(results, baselines=["gold"]).winner
    assert winner is not None
    assert winner.arm.label == "react"
    assert study({**results, "plan": solved(range(69), of=100)}, baselines=["gold"]).winner is None


def test_a_program_wins_nothing_by_losing_episodes() -> None:
    """As in a race: lost episodes are wrong, so that nobody is compared on the tasks of their choice."""
    lost = [make_record(number, status="timeout", scores={}) for number in range(10)]
    kept = [make_record(number) for number in range(10, 20)]
    found = study({"a": solved(range(8, 20), of=20), "b": make_result([*lost, *kept])})
    comparison = found.rows[1].against_first

    assert comparison is not None
    assert comparison.difference.n == 20
    assert comparison.difference.value == pytest.approx(-0.1)
    assert comparison.test is not None
    assert (comparison.test.only_ours, comparison.test.only_theirs) == (0, 2)
    assert found.rows[1].summary.error_rate == 0.5
    assert found.rows[1].summary.scores["outcome_strict"].value == 0.5


def test_several_trials_are_compared_by_task_without_mcnemar() -> None:
    def trials(right: int) -> EvalResult:
        records = [
            make_record(number, trial=trial, scores={"outcome": float(trial < right)})
            for number in range(12)
            for trial in range(4)
        ]
        return make_result(records, trials=4)

    comparison = study({"a": trials(2), "b": trials(3)}).rows[1].against_first

    assert comparison is not None
    assert comparison.difference.value == pytest.approx(0.25)
    assert comparison.difference.n == 12
    assert comparison.test is None
    assert comparison.p == pytest.approx(2 * 0.5**12)


def test_arms_must_differ_in_label_and_agree_in_tasks() -> None:
    with pytest.raises(InputError, match="different labels"):
        run_study([StudyArm("a"), StudyArm("a")], lambda _: solved([], of=3))
    with pytest.raises(InputError, match="different labels"):
        run_study([], lambda _: solved([], of=3))
    with pytest.raises(InputError, match="different tasks"):
        study({"a": solved([], of=3), "b": solved([], of=4)})


def test_rows_are_told_as_they_are_done() -> None:
    told: list[Row] = []
    run_study([StudyArm("a"), StudyArm("b")], lambda _: solved([1], of=3), on_row=told.append)

    assert [row.arm.label for row in told] == ["a", "b"]


def test_a_study_is_plain_data() -> None:
    data = json.loads(json.dumps(study({"a": solved([], of=3), "b": solved([1], of=3)}).to_json()))

    assert data["reference"] == "a"
    assert data["rows"][1]["difference"]["value"] == pytest.approx(1 / 3)
    assert data["rows"][1]["mcnemar"]["only_ours"] == 1
    assert data["rows"][0]["scores"]["outcome"]["n"] == 3
