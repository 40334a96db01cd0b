"""The proxy that injects faults: what clients see of each kind, and which requests meet one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import openai
import pytest
from dspy.lm15 import Message, Request, Response, Usage

from benchmarks.soundness.faults.kinds import BURST, ENORMOUS, FAULTS, NO_FAULT, NO_TOOL
from benchmarks.soundness.faults.process import KEY, Proxy, faulty
from worksmith.tools.seeding import digest

BODIES = [digest(number) for number in range(2_000)]
RATES = (0.01, 0.1, 0.4)


def hit(kind: str, rate: float, arrival: int = 0, seed: int = 0) -> set[str]:
    return {body for body in BODIES if FAULTS[kind].drawn(kind, rate, seed, body, arrival)}


@pytest.mark.parametrize("rate", RATES)
def test_a_rate_is_the_share_of_requests_whatever_their_arrival(rate: float) -> None:
    for arrival in (0, 1, 5):
        assert len(hit("cut", rate, arrival)) / len(BODIES) == pytest.approx(rate, rel=0.6)


def test_a_lower_rate_hits_fewer_of_the_same_requests() -> None:
    few, some, many = (hit("empty", rate) for rate in RATES)

    assert few < some < many


def test_the_next_try_draws_anew_and_each_kind_and_seed_draws_its_own() -> None:
    first = hit("slow", 0.4)

    for other in (hit("slow", 0.4, 1), hit("slow", 0.4, seed=1), hit("cut", 0.4)):
        assert len(first & other) / len(first) == pytest.approx(0.4, rel=0.2)
    assert first == hit("slow", 0.4)


def test_a_burst_fails_three_tries_of_a_request_in_a_row() -> None:
    begun = hit("unavailable", 0.1)

    assert begun
    for arrival in range(1, BURST):
        assert begun == hit("unavailable", 0.1, arrival)
    assert not hit("unavailable", 1.0, BURST)


CALL = """[[ ## tool ## ]]
email.delete_email

[[ ## arguments ## ]]
{"email_id": "00000012"}

[[ ## completed ## ]]"""


class Fixed:
    """A model that always says `CALL`."""

    def complete(self, request: Request) -> Response:
        return Response(None, request.model, Message.assistant(CALL), "stop", Usage(10, 10))


fixed = Fixed()
FIXED = f"{__name__}:fixed"


@pytest.fixture(scope="module")
def proxy() -> Iterator[Proxy]:
    with faulty(FIXED) as running:
        yield running


def body(number: int) -> dict[str, Any]:
    """A request like no other."""
    return {"model": FIXED, "messages": [{"role": "user", "content": f"Delete mail {number}."}]}


REQUESTS = range(8)
FEW = range(4)
"""Of replies that take long to come or to read."""


def requests(kind: str) -> range:
    return FEW if kind in ("slow", "enormous") else REQUESTS


def patience(kind: str) -> float:
    return 0.2 if kind == "slow" else 10.0


def seen(proxy: Proxy, kind: str, said_of: Callable[[Any], object] = type) -> set[object]:
    """What the official client sees of some requests: errors by class, and what is said of replies."""
    found = set()
    with openai.OpenAI(
        base_url=proxy.base(kind, 1), api_key=os.environ[KEY], max_retries=0, timeout=patience(kind)
    ) as client:
        for number in requests(kind):
            try:
                found.add(said_of(client.chat.completions.create(**body(number))))
            except (openai.OpenAIError, json.JSONDecodeError) as error:
                found.add(type(error))
    return found


def text(reply: Any) -> str | None:
    content: str | None = reply.choices[0].message.content
    return content


def reason(reply: Any) -> tuple[str, str | None]:
    return reply.choices[0].finish_reason, reply.choices[0].message.refusal


def sent(proxy: Proxy, kind: str) -> set[object]:
    """What comes over the wire: status, framing, Retry-After, and the body or what became of it."""
    found: set[object] = set()
    headers = {"authorization": f"Bearer {os.environ[KEY]}"}
    address = f"{proxy.base(kind, 1)}/chat/completions"
    for number in requests(kind):
        try:
            with httpx.stream(
                "POST", address, headers=headers, json=body(number), timeout=patience(kind)
            ) as response:
                found |= {response.status_code, *{"transfer-encoding", "retry-after"} & {*response.headers}}
                response.read()
                found.add("JSON" if _is_json(response.content) else response.content[:6])
        except httpx.HTTPError as error:
            found.add(type(error))
    return found


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


@pytest.mark.slow
def test_each_kind_looks_as_it_is_described(proxy: Proxy) -> None:
    assert seen(proxy, NO_FAULT, text) == {CALL}
    assert sent(proxy, "rate_limit") == {429, "retry-after", "JSON"}
    assert seen(proxy, "rate_limit") == {openai.RateLimitError}
    assert sent(proxy, "server_error") == {500, "JSON"}
    assert sent(proxy, "unavailable") == {503, "JSON"}
    assert seen(proxy, "slow") == {openai.APITimeoutError}
    assert sent(proxy, "slow") == {200, httpx.ReadTimeout}
    assert sent(proxy, "cut") == {200, "transfer-encoding", httpx.RemoteProtocolError}
    assert seen(proxy, "cut") == {openai.APIConnectionError}
    assert {200, b"", b"<html>", b'{"id":'} >= sent(proxy, "malformed") >= {200, b"", b"<html>"}
    assert seen(proxy, "malformed") == {json.JSONDecodeError, str}
    assert seen(proxy, "wrong_tool", text) == {CALL.replace("email.delete_email", NO_TOOL)}
    assert seen(proxy, "empty", text) == {"", None}
    assert seen(proxy, "refused", reason) == {("stop", "I cannot help with that."), ("content_filter", None)}
    assert seen(proxy, "truncated", text) == {CALL[: len(CALL) // 2]}
    assert seen(proxy, "truncated", reason) == {("length", None)}
    assert seen(proxy, "no_usage", lambda reply: reply.usage) == {None}
    assert seen(proxy, "enormous", lambda reply: len(text(reply) or "") >= ENORMOUS) == {True}


@pytest.mark.slow
def test_all_requests_are_counted_at_their_address(proxy: Proxy) -> None:
    with openai.OpenAI(base_url=proxy.base("cut", 0.5), api_key=os.environ[KEY], max_retries=0) as client:
        broken = 0
        for number in range(20):
            try:
                client.chat.completions.create(**body(number))
            except openai.APIConnectionError:
                broken += 1

    counts = proxy.counts("cut", 0.5)
    assert (counts["requests"], sum(counts["faults"].values())) == (20, broken)
    assert 0 < broken < 20
