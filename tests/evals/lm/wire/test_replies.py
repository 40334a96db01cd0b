"""Replies that a gateway has spoilt: what was paid is counted, and the agent is not at fault."""

from __future__ import annotations

import importlib
import itertools
import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

import dspy
import pytest
from dspy.utils.exceptions import LMError, LMTimeoutError
from hypothesis import given
from hypothesis import strategies as st

from tests.chat_server import ChatServer, said
from worksmith.evals.lm.failures import failure_of
from worksmith.evals.lm.metering import Meter, metered, metering
from worksmith.evals.lm.provider_model import ProviderModel
from worksmith.evals.lm.wire.replies import readable
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.tools.statuses import INFRASTRUCTURE

pytestmark = pytest.mark.filterwarnings("ignore:Implementing custom LMs:DeprecationWarning")

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
QUESTION = "When is the meeting with the board?"


def whole(usage: Any = USAGE, texts: tuple[Any, ...] = ("Friday.",)) -> dict[str, Any]:
    choices = [
        {"index": number, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for number, text in enumerate(texts)
    ]
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": choices,
        "usage": usage,
    }


class Own(dspy.BaseLM):  # type: ignore[misc]
    """A model of a user's, over a client of their own."""

    def __init__(self, reply: Any) -> None:
        super().__init__("own/model", cache=False, num_retries=0)
        self._reply = reply

    def forward(self, prompt: Any = None, messages: Any = None, **settings: Any) -> Any:
        return self._reply


def hosted(server: ChatServer, num_retries: int = 0, engine: str = "auto", **wire: Any) -> dspy.LM:
    given: dict[str, Any] = {"api_base": server.url, "api_key": "none", "cache": False, "engine": engine}
    return ProviderModel("openai/a-model", num_retries=num_retries, wire=WireSettings(**wire), **given)


def asked(server: ChatServer, reply: dict[str, Any], own: bool, **wire: Any) -> tuple[Any, Meter]:
    """The reply or the failure, and what was counted."""
    server.say(*[{"whole": reply} if "choices" in reply else reply] * 5)
    with metering() as meter:
        try:
            return metered(Own(reply) if own else hosted(server, **wire))(QUESTION)[0], meter
        except LMError as error:
            return failure_of(error), meter


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("count", [2, 20])
def test_the_first_of_several_choices_counts_and_all_tokens(
    server: ChatServer, own: bool, count: int
) -> None:
    reply, meter = asked(server, whole(texts=("Friday.", *["Monday."] * (count - 1))), own)

    assert reply == "Friday."
    assert (meter.usage.paid_requests, meter.usage.paid_tokens, meter.usage.estimated) == (1, 110, False)
    assert len(server.bodies) == (0 if own else 1)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("count", [-1, 0.5, True, math.inf, math.nan, "many", [1], {}, 10**30])
def test_unreadable_tokens_are_estimated(server: ChatServer, own: bool, count: Any) -> None:
    for usage in ({**USAGE, "prompt_tokens": count}, {**USAGE, "completion_tokens": count}, count):
        reply, meter = asked(server, whole(usage), own)

        assert reply == "Friday."
        assert meter.usage.estimated
        assert (meter.usage.paid_requests, 9 < meter.usage.paid_tokens < 20) == (1, True)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    "usage",
    [
        {**USAGE, "prompt_tokens": 100.0},
        {**USAGE, "completion_tokens": "10"},
        {**USAGE, "total_tokens": -1},
        {**USAGE, "prompt_tokens_details": {"cached_tokens": -5}},
        {**USAGE, "prompt_tokens_details": [1]},
        {**USAGE, "cost": 0.5, "service_tier": "usual", "completion_tokens_per_sec": 26.5},
    ],
)
def test_what_can_be_read_is_the_servers_own(server: ChatServer, own: bool, usage: Any) -> None:
    reply, meter = asked(server, whole(usage), own)

    assert reply == "Friday."
    assert (meter.usage.paid_prompt_tokens, meter.usage.paid_completion_tokens) == (100, 10)
    assert (meter.usage.paid_cached_tokens, meter.usage.estimated) == (0, False)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("choices", [[], {}, None, [None], [{"index": 0}], [{"message": {"content": 3}}]])
def test_a_reply_without_a_choice_is_a_loss_that_was_paid(
    server: ChatServer, own: bool, choices: Any
) -> None:
    ended, meter = asked(server, {**whole(), "choices": choices}, own)

    assert ended.status in INFRASTRUCTURE
    assert meter.usage.paid_requests == len(server.bodies) or own
    assert meter.usage.paid_tokens == 110 * meter.usage.paid_requests


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def drip(first: bytes, then: bytes) -> Callable[[BinaryIO], None]:
    """Writes `first` at once, and then one byte after the other for ever."""

    def write(out: BinaryIO) -> None:
        out.write(first)
        for byte in itertools.cycle(then):
            out.write(bytes([byte]))
            out.flush()
            time.sleep(0.02)

    return write


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
        (HEAD + b'Content-Length: 100000\r\n\r\n{"id": "', b"a"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a"),
        (HEAD + b"\r\n", b"["),
    ],
)
def test_a_drip_ends_with_the_total_limit(server: ChatServer, first: bytes, then: bytes) -> None:
    started = time.monotonic()
    ended, meter = asked(server, {"raw": drip(first, then)}, own=False, total_timeout=0.4)

    assert time.monotonic() - started < 5
    assert ended.status in INFRASTRUCTURE
    assert "total_timeout" in ended.error
    assert meter.usage.paid_requests == 1
    assert (meter.usage.paid_prompt_tokens > 5, meter.usage.estimated) == (True, True)


@pytest.mark.slow
def test_through_litellm_it_is_the_same(server: ChatServer) -> None:
    importlib.import_module("litellm")  # takes longer than a request may
    server.say({"whole": whole(texts=("Friday.", "Monday."))}, {"whole": whole("many")})
    server.say({"raw": drip(HEAD + b"Content-Length: 100000\r\n\r\n", b" ")})
    model = metered(hosted(server, engine="litellm", total_timeout=2.0))
    for tokens, estimated in ((110, False), (13, True), (11, True)):
        with metering() as meter, suppress(LMTimeoutError):
            assert model(QUESTION) == ["Friday."]
        assert (meter.usage.paid_requests, meter.usage.estimated) == (1, estimated)
        assert abs(meter.usage.paid_tokens - tokens) < 5


def test_a_body_that_never_ends_ends(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.evals.lm.wire.bodies._LARGEST", 1_000_000)

    def write(out: BinaryIO) -> None:
        out.write(HEAD + b"\r\n")
        while True:
            out.write(b"[" * 65_536)

    ended, meter = asked(server, {"raw": write}, own=False)

    assert ended.status in INFRASTRUCTURE
    assert (meter.usage.paid_requests, meter.usage.estimated) == (1, True)


def test_a_drip_is_tried_again(server: ChatServer) -> None:
    server.say({"raw": drip(HEAD + b"\r\n", b" ")}, said("Friday."))
    with metering() as meter:
        assert metered(hosted(server, num_retries=1, total_timeout=0.3))(QUESTION) == ["Friday."]
    assert meter.usage.paid_requests == 2


names = st.sampled_from([*USAGE, "prompt_tokens_details", "cached_tokens", "usage", "choices", "message"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4)
)


@given(st.dictionaries(names, anything, max_size=5))
def test_any_object_can_be_made_readable(data: dict[str, Any]) -> None:
    once = readable(data)
    assert len(once.get("choices", [])) <= 1
    assert repr(readable(once)) == repr(once)
