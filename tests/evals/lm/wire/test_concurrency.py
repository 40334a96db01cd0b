"""Adaptive concurrency."""

from __future__ import annotations

import math

from worksmith.evals.lm.wire.concurrency import Concurrency


def test_it_begins_without_a_limit_and_finds_one_where_requests_are_refused() -> None:
    limits = Concurrency()
    assert limits.limit == math.inf

    limits.refused(in_flight=64, sent=0.0, now=1.0)
    assert 40 < limits.limit < 50
    # Others of the same burst were sent before the decrease.
    limits.refused(in_flight=63, sent=0.5, now=1.1)
    assert 40 < limits.limit < 50
    limits.refused(in_flight=40, sent=1.2, now=1.3)
    assert 20 < limits.limit < 35


def test_a_round_of_replies_adds_one_up_to_the_ceiling() -> None:
    limits = Concurrency(ceiling=11)
    limits.refused(in_flight=11, sent=0.0, now=1.0)
    before = limits.limit
    for _ in range(int(before)):
        limits.answered(in_flight=5, seconds=0.2, now=2.0)
    assert before + 0.8 < limits.limit < before + 1.1
    for _ in range(1_000):
        limits.answered(in_flight=5, seconds=0.2, now=2.0)
    assert limits.limit == 11


def test_there_is_always_room_for_one_request() -> None:
    limits = Concurrency()
    for number in range(50):
        limits.refused(in_flight=1, sent=float(number), now=number + 0.5)
    assert limits.limit == 1


def test_rising_latency_lowers_it_and_steady_latency_does_not() -> None:
    limits = Concurrency()
    for number in range(200):
        limits.answered(in_flight=50, seconds=0.2 if number % 2 else 0.35, now=float(number))
    assert limits.limit == math.inf

    for number in range(50):
        limits.answered(in_flight=50, seconds=1.5, now=200.0 + number)
    assert limits.limit < 50
