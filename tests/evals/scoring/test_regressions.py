"""When a program is worse than its baseline."""

from __future__ import annotations

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.scoring.constraints import Constraint
from worksmith.evals.scoring.regressions import compared

LEAK, TOKENS = Constraint("leak", "<=", 0), Constraint("prompt_tokens", "<=", 100)


def run(right: int, leaks: int = 0, tokens: int = 50, *, of: int = 20) -> list[EpisodeRecord]:
    """Episodes of tasks without a common intent, the first ones right, the last ones with a leak."""
    return [
        make_record(
            number,
            intent=None,
            prompt_tokens=tokens + number,
            scores={"outcome": float(number < right), "leak": float(number >= of - leaks)},
        )
        for number in range(of)
    ]


@pytest.mark.parametrize(
    ("now", "before", "worse"),
    [
        (run(15), run(15), []),
        (run(12), run(15), []),  # three lost of three: chance does so one time in eight
        (run(8), run(15), ["outcome"]),
        (run(20), run(8), []),
        (run(15, leaks=1), run(15), ["leak<=0"]),
        (run(15, leaks=2), run(15, leaks=1), []),  # the baseline broke the bound as well
        (run(15, tokens=80), run(15), []),  # more, and within the bound
        (run(15, tokens=120), run(15), ["prompt_tokens<=100"]),
        (run(8, 1, 120), run(15), ["outcome", "leak<=0", "prompt_tokens<=100"]),
        (
            [each.model_copy(update={"status": "model_error", "scores": {}}) for each in run(15)],
            run(15),
            ["outcome"],
        ),
    ],
)
def test_worse_is_what_chance_does_not_do_or_a_bound_forbids(
    now: list[EpisodeRecord], before: list[EpisodeRecord], worse: list[str]
) -> None:
    assert [each.name for each in compared(now, before, [LEAK, TOKENS]) if each.worse] == worse


def test_intents_in_which_a_loss_varies_do_not_hide_it() -> None:
    changed = {0: -4, 1: -3, 2: -3, 3: -2, 4: 3}
    before, now = run(0, of=50), run(0, of=50)
    for intent, gain in changed.items():
        for number in range(10 * intent, 10 * intent + abs(gain)):
            right = now if gain > 0 else before
            right[number] = right[number].model_copy(update={"scores": {"outcome": 1.0, "leak": 0.0}})
    for records in (now, before):
        records[:] = [
            each.model_copy(update={"intent": str(place // 10)}) for place, each in enumerate(records)
        ]
    assert [each.worse for each in compared(now, before)] == [True]


def test_few_tasks_say_that_they_show_no_loss() -> None:
    for tasks, blind in ((4, True), (5, False)):
        [outcome] = compared(run(0, of=tasks), run(tasks, of=tasks))
        assert (outcome.blind, outcome.worse) == (blind, not blind)
