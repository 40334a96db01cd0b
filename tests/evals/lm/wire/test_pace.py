"""The pace of requests and tokens a minute."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.lm.wire.pace import Pace


@given(
    per_minute=st.integers(1, 10_000),
    gaps=st.lists(st.floats(0, 5), min_size=2, max_size=60),
    window=st.floats(1, 120),
)
def test_no_window_of_time_holds_more_than_the_limit(
    per_minute: int, gaps: list[float], window: float
) -> None:
    pace, now, times = Pace(per_minute), 0.0, []
    for gap in gaps:
        now += gap
        times.append(pace.reserve(1, now))

    for start in times:
        assert sum(start <= at < start + window for at in times) <= window * per_minute / 60 + 1


def test_those_who_wait_are_let_through_evenly_and_without_a_gap() -> None:
    pace = Pace(600)

    times = [pace.reserve(1, 0.0) for _ in range(61)]

    assert times[0] == 0.0
    assert 6.0 < times[-1] < 6.0 / 0.98


def test_tokens_are_corrected_when_the_reply_is_there() -> None:
    pace = Pace(6_000)
    pace.reserve(100, 0.0)
    pace.correct(900)
    late = pace.reserve(0, 0.0)
    pace.correct(-500)

    assert 9.9 < late < 10.2
    assert 4.9 < pace.reserve(0, 0.0) < 5.2
