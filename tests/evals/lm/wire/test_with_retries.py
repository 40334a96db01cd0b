"""Tries of one request."""

from __future__ import annotations

import random

import pytest
from dspy.utils.exceptions import LMAuthError, LMRateLimitError, LMServerError

from worksmith.evals.lm.wire import retries
from worksmith.evals.lm.wire.breaker import PausedError
from worksmith.evals.lm.wire.retries import asked_wait, with_retries


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(retries, "LONGEST_WAIT", 0.002)


class Model:
    """Fails with these errors, one after the other, and then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "reply"


def test_failures_are_tried_again_so_many_times() -> None:
    mended, down = Model(*[LMServerError("503")] * 3), Model(*[LMServerError("503")] * 9)

    assert with_retries(mended, tries=4, seconds=60) == "reply"
    with pytest.raises(LMServerError):
        with_retries(down, tries=4, seconds=60)
    assert (mended.asked, down.asked) == (4, 4)


def test_refusals_for_too_many_requests_are_no_failures() -> None:
    busy = Model(*[LMRateLimitError("slow down")] * 20, LMServerError("503"))
    assert with_retries(busy, tries=2, seconds=60) == "reply"

    once = Model(LMRateLimitError("slow down"))
    with pytest.raises(LMRateLimitError):
        with_retries(once, tries=1, seconds=60)
    assert once.asked == 1


def test_there_is_no_try_after_the_time_is_over() -> None:
    busy = Model(*[LMRateLimitError("slow down", retry_after=0.05)] * 100)
    with pytest.raises(LMRateLimitError):
        with_retries(busy, tries=4, seconds=0.2)
    assert 2 <= busy.asked <= 5


@pytest.mark.parametrize(
    "error", [LMAuthError("no key", status=401), ValueError("a mistake"), LMServerError("", retry_after=1e4)]
)
def test_what_no_other_try_mends_is_raised_at_once(error: Exception) -> None:
    model = Model(error)
    with pytest.raises(type(error)):
        with_retries(model, tries=4, seconds=60)
    assert model.asked == 1
    assert asked_wait(error) == 0


def test_a_pause_counts_as_a_try() -> None:
    model = Model(*[PausedError("paused")] * 9)
    with pytest.raises(PausedError):
        with_retries(model, tries=3, seconds=60)
    assert model.asked == 3


def test_a_program_s_random_numbers_stay_as_they_are() -> None:
    random.seed(7)
    before = random.getstate()
    with_retries(Model(LMServerError("503")), tries=2, seconds=60)
    assert random.getstate() == before
