"""The wait that servers ask for, in all forms of headers and texts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.lm.waits import LONGEST_RESET, wait_asked_for


def with_headers(**headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return SimpleNamespace(response=SimpleNamespace(headers=named))


@each_row(
    ("error", "seconds"),
    [
        (with_headers(retry_after="7"), 7),
        (with_headers(Retry_After="7", Retry_After_Ms="350"), 0.35),
        (with_headers(x_ms_retry_after_ms="1500"), 1.5),
        (with_headers(retry_after="0"), 0.001),
        (with_headers(retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0.001),
        (with_headers(retry_after="soon"), None),
        (with_headers(retry_after="nan"), None),
        (with_headers(retry_after="-3"), None),
        (
            with_headers(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="1m2.5s"),
            LONGEST_RESET,
        ),
        (with_headers(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="15ms"), 0.015),
        (with_headers(x_ratelimit_remaining_requests="3", x_ratelimit_reset_requests="15ms"), None),
        (SimpleNamespace(retry_after=3.5), 3.5),
        (SimpleNamespace(litellm_response_headers={"Retry-After": "9"}), 9),
        (SimpleNamespace(rate_limit_headers={"retry-after-ms": ("20", "30")}), 0.02),
        (SimpleNamespace(body={"details": [{"@type": "RetryInfo", "retryDelay": "34s"}]}), 34),
        (RuntimeError('{"@type": "google.rpc.RetryInfo", "retryDelay": "0.5s"}'), 0.5),
        (RuntimeError("Please retry in 34.074824224s."), 34.074824224),
        (RuntimeError("Please try again in 1m2s. Visit the page"), 62),
        (RuntimeError("Please retry after 6 seconds"), 6),
        (RuntimeError("Retry 3 of 5 failed"), None),
        (RuntimeError("Please retry after 6 days"), None),
        (RuntimeError("try again in 5 minutes"), None),
    ],
)
def test_each_form_is_read(error: Any, seconds: float | None) -> None:
    assert wait_asked_for([error]) == (None if seconds is None else pytest.approx(seconds))


def test_headers_of_a_cause_come_before_the_text_of_the_error() -> None:
    assert wait_asked_for([RuntimeError("retry after 1 second"), with_headers(retry_after_ms="350")]) == 0.35


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text()), st.text())
def test_no_answer_of_a_server_is_a_crash(headers: dict[str, str], said: str) -> None:
    error = SimpleNamespace(response=SimpleNamespace(headers=headers), body=said)
    wait = wait_asked_for([error])

    assert wait is None or wait > 0
