"""The breaker."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.evals.lm.wire.breaker import FAILURES, FIRST_PAUSE, LONGEST_PAUSE, Breaker

DOWN = ConnectionError("down")


def paused(now: float = 0.0, *, answered: bool = True) -> Breaker:
    breaker = Breaker()
    if answered:
        breaker.answered(now - 1.0, tried=False)
    for _ in range(FAILURES):
        breaker.failed(DOWN, now, sent=now, tried=False)
    return breaker


def test_a_model_that_fails_again_and_again_is_paused() -> None:
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker.failed(DOWN, 0.0, sent=0.0, tried=False)
    breaker.answered(1.0, tried=False)
    breaker.failed(DOWN, 0.0, sent=0.0, tried=False)

    assert breaker.wait(0.0) == 0
    assert not breaker.paused
    assert paused().wait(0.5) == FIRST_PAUSE - 0.5
    assert paused().failure is DOWN


def test_requests_that_get_no_reply_while_others_do_pause_nothing() -> None:
    breaker = Breaker()
    breaker.answered(1.0, tried=False)
    for _ in range(2 * FAILURES):
        breaker.failed(DOWN, 60.0, sent=0.5, tried=False)

    assert not breaker.paused


def test_after_the_pause_one_request_tries_it_and_the_others_wait() -> None:
    breaker = paused()

    assert breaker.wait(FIRST_PAUSE) == 0
    assert breaker.begin()
    assert breaker.wait(FIRST_PAUSE) is None
    breaker.answered(1.0, tried=True)
    assert breaker.wait(FIRST_PAUSE) == 0
    assert not breaker.begin()


def _pauses(breaker: Breaker, number: int) -> Iterator[float]:
    now = 0.0
    for _ in range(number):
        wait = breaker.wait(now)
        assert wait is not None
        yield wait
        now += wait
        assert breaker.begin()
        breaker.failed(DOWN, now, sent=now, tried=True)


def test_each_try_in_vain_doubles_the_pause_up_to_the_longest() -> None:
    breaker = paused()

    assert list(_pauses(breaker, 8)) == [2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert breaker.failed_tries == 8


def test_a_model_that_never_answered_is_tried_again_soon_so_that_the_run_ends_soon() -> None:
    assert list(_pauses(paused(answered=False), 8)) == [FIRST_PAUSE] * 8


def test_what_was_in_flight_before_the_pause_neither_ends_nor_lengthens_it() -> None:
    breaker = paused()
    breaker.failed(DOWN, 1.0, sent=0.0, tried=False)
    breaker.answered(1.0, tried=False)

    assert breaker.paused
    assert breaker.wait(1.0) == FIRST_PAUSE - 1


def test_a_try_that_says_nothing_lets_another_one_try() -> None:
    breaker = paused()
    assert breaker.begin()
    breaker.given_up(tried=True)

    assert breaker.wait(FIRST_PAUSE) == 0
    assert breaker.paused
