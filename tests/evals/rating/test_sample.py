from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.rating.sample import draw_sample
from worksmith.evals.records.run_card import LoadedRun, RunCard
from worksmith.tools.errors import InputError


def run(name: str, numbers: range, **changes: Any) -> LoadedRun:
    records = tuple(
        make_record(number, **{"key": f"{name}-{number}", "intent": f"intent-{number % 3}", **changes})
        for number in numbers
    )
    return LoadedRun(RunCard(label=name), records, name)


def test_all_raters_see_the_same_tasks_of_every_run_in_an_order_of_their_own() -> None:
    runs = [run("react", range(12)), run("plan", range(2, 14))]
    ann, bob = (draw_sample(runs, 6, rater=rater) for rater in ("ann", "bob"))
    assert ann != bob
    assert sorted(shown.record.key for shown in ann) == sorted(shown.record.key for shown in bob)
    assert Counter(shown.run for shown in ann) == {0: 6, 1: 6}
    assert len({shown.record.task_id for shown in ann}) == 6
    assert draw_sample(runs, 6, rater="ann") == ann


def test_intents_take_turns() -> None:
    shown = draw_sample([run("react", range(30))], 6, rater="ann")
    assert set(Counter(s.record.intent for s in shown).values()) == {2}


def test_what_the_infrastructure_ended_is_not_shown() -> None:
    lost = run("react", range(4), status="model_error", scores={})
    with pytest.raises(InputError, match="no graded task in common"):
        draw_sample([lost], 3, rater="ann")
    with pytest.raises(InputError, match="no graded task in common"):
        draw_sample([run("react", range(4)), run("plan", range(4, 8))], 3, rater="ann")
