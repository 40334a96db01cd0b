"""Lanes: what lets requests through, in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from dspy.utils.exceptions import LMInvalidRequestError, LMRateLimitError, LMServerError

from worksmith.evals.lm.wire import breaker, lane
from worksmith.evals.lm.wire.breaker import FAILURES, PausedError
from worksmith.evals.lm.wire.lane import PAUSE, TURN, Lane
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.tools.episode_result import Tokens


def a_lane(**settings: float) -> Lane:
    return Lane("a/model", WireSettings(**settings))  # type: ignore[arg-type]


def ask(through: Lane, answer: Callable[[], None] = lambda: None, tokens: float = 0.0) -> None:
    with through.request(tokens) as request:
        answer()
        request.tokens = Tokens(10, 2)


def failing(error: Exception) -> Callable[[], None]:
    def answer() -> None:
        raise error

    return answer


def test_no_more_requests_are_in_flight_than_may_be() -> None:
    through, most, now, lock = a_lane(parallel=3), 0, 0, threading.Lock()

    def answer() -> None:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: ask(through, answer), range(60)))

    assert most == 3
    traffic = through.traffic()
    assert (traffic.answered, traffic.failed, traffic.in_flight) == (60, 0, 0)
    assert traffic.tokens == Tokens(600, 120)
    assert traffic.limit == 3
    assert traffic.waiting == {}


def test_requests_keep_to_the_limit_a_minute() -> None:
    through = a_lane(requests_per_minute=6_000)
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ask(through), range(21)))

    assert time.monotonic() - started >= 0.2


def test_tokens_keep_to_the_limit_a_minute_by_what_was_used() -> None:
    through = a_lane(tokens_per_minute=12 * 6_000)
    assert through.counts_tokens
    started = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ask(through, tokens=1.0), range(24)))

    assert time.monotonic() - started >= 0.2


def test_all_requests_wait_as_long_as_the_server_asks() -> None:
    through = a_lane()
    with pytest.raises(LMRateLimitError):
        ask(through, failing(LMRateLimitError("slow down", retry_after=0.1)))
    started = time.monotonic()
    ask(through)

    assert 0.09 < time.monotonic() - started < 1


def test_a_refusal_lowers_how_many_are_in_flight() -> None:
    through, all_there = a_lane(), threading.Barrier(8)

    def answer() -> None:
        all_there.wait()
        raise LMRateLimitError("slow down")

    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(ask, through, answer) for _ in range(8)]:
            assert isinstance(each.exception(), LMRateLimitError)

    limit = through.traffic().limit
    assert limit is not None
    assert limit < 8


def test_a_model_that_fails_is_paused_and_one_request_tries_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaker, "FIRST_PAUSE", 0.05)
    through, asked = a_lane(), 0
    for _ in range(FAILURES):
        with pytest.raises(LMServerError):
            ask(through, failing(LMServerError("503")))
    assert "503" in through.traffic().paused

    def answer() -> None:
        nonlocal asked
        asked += 1
        time.sleep(0.05)
        raise LMServerError("503 still")

    with ThreadPoolExecutor(6) as pool:
        ends = [each.exception() for each in [pool.submit(ask, through, answer) for _ in range(6)]]
    assert asked == 1
    assert sorted(type(end).__name__ for end in ends) == ["LMServerError", *["PausedError"] * 5]
    assert any("503 still" in str(end) for end in ends if isinstance(end, PausedError))

    ask(through)
    assert through.traffic().paused == ""


def test_a_request_that_is_refused_for_what_it_is_shows_that_the_model_works() -> None:
    through = a_lane()
    for number in range(3 * FAILURES):
        error = (
            LMInvalidRequestError("no such field", status=400) if number % 5 == 4 else LMServerError("503")
        )
        with pytest.raises(type(error)):
            ask(through, failing(error))
    assert through.traffic().paused == ""


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"parallel": 1}, TURN), ({"requests_per_minute": 1}, "the limit of 1 requests a minute"), ({}, PAUSE)],
)
def test_it_says_what_requests_wait_for(
    settings: dict[str, float], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "FIRST_PAUSE", 30.0)
    through, go_on = a_lane(**settings), threading.Event()
    if reason == PAUSE:
        for _ in range(FAILURES):
            with pytest.raises(LMServerError):
                ask(through, failing(LMServerError("503")))

    def wait() -> None:
        go_on.wait()

    threads = [threading.Thread(target=ask, args=(through, wait), daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    expected = 3 if reason == PAUSE else 2
    end = time.monotonic() + 5
    while through.traffic().waiting != {reason: expected} and time.monotonic() < end:
        time.sleep(0.001)
    traffic = through.traffic()
    go_on.set()

    assert traffic.waiting == {reason: expected}
    assert traffic.in_flight == 3 - expected


def test_models_of_one_name_share_a_lane_and_others_have_one_of_their_own() -> None:
    from worksmith.evals.lm.provider_model import ProviderModel

    student, teacher = ProviderModel("openai/one"), ProviderModel("openai/one", temperature=0.5)
    shared = lane.lane_of(student)

    assert lane.lane_of(teacher) is shared
    assert lane.lane_of(ProviderModel("openai/two")) is not shared
    assert lane.lane_of(ProviderModel("openai/one", api_base="http://127.0.0.1:9/v1")) is not shared
    assert lane.lane_of(ProviderModel("openai/one", wire=WireSettings(parallel=2))) is not shared
    assert [each.model for each in lane.traffic() if each.model == "openai/one"]


def test_requests_keep_their_distances_after_a_wait_that_the_server_asks_for() -> None:
    through, times, first = a_lane(requests_per_minute=3_000), [], threading.Event()

    def answer() -> None:
        times.append(time.monotonic())
        if not first.is_set():
            first.set()
            raise LMRateLimitError("slow down", retry_after=0.1)

    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(ask, through, answer) for _ in range(8)]:
            each.exception()

    assert times[1] - times[0] > 0.1
    assert times[-1] - times[1] > 0.1
