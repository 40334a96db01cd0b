"""Free slots and conditions on figures, by properties."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.kinds.office.intents.analytics.intents import growth, passed
from worksmith.evals.kinds.office.records import CLOSING, MEETING, OPENING, first_free_slot

DAY = date(2024, 10, 18)
OPEN, CLOSE = datetime.combine(DAY, OPENING), datetime.combine(DAY, CLOSING)

half_hours = st.integers(0, 17).map(lambda n: OPEN + n * timedelta(minutes=30))
busy_days = st.lists(
    st.tuples(half_hours, st.sampled_from((30, 60, 90, 120))).map(
        lambda event: (event[0], event[0] + timedelta(minutes=event[1]))
    ),
    max_size=10,
).map(sorted)


@given(busy_days)
def test_the_free_slot_is_free_and_no_earlier_one_is(busy: list[tuple[datetime, datetime]]) -> None:
    def free(start: datetime) -> bool:
        end = start + MEETING
        return start >= OPEN and end <= CLOSE and all(end <= a or start >= b for a, b in busy)

    candidates = [OPEN + n * timedelta(minutes=30) for n in range(18)]
    assert first_free_slot(busy, DAY) == next(filter(free, candidates), None)


def test_a_full_day_has_no_slot() -> None:
    whole = (datetime.combine(DAY, time(8)), datetime.combine(DAY, time(18)))
    assert first_free_slot([whole], DAY) is None


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 30))
def test_more_and_less_leave_out_the_threshold(values: list[int], threshold: int) -> None:
    slots = {"threshold": str(threshold)}
    assert passed(values, {**slots, "more_or_less": "more"}) == (max(values) > threshold)
    assert passed(values, {**slots, "more_or_less": "less"}) == (min(values) < threshold)


def test_growth_is_relative_to_the_first_day() -> None:
    assert growth({DAY: 4, DAY + timedelta(days=1): 9, DAY + timedelta(days=2): 5}) == 0.25
