"""The kinds of faults: what a client sees of each."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from worksmith.tools.seeding import rng

NO_FAULT = "none"
"""In place of a kind: every request is answered as it should be."""

NO_TOOL = "nowhere.no_such_tool"
"""The tool that replies with a wrong tool name call."""

RETRY_AFTER = 0.2
"""Seconds that a server asks to wait; they hold up all requests to the model, so they are few."""

ENORMOUS = 4_000_000
"""Characters of an enormous reply, at least."""

BURST = 3
"""Tries of one request that a burst fails."""

HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

_TOOL = re.compile(r"(\[\[ ## tool ## \]\]\n)[^\n]*|(\"tool\": *)\"[^\"]*\"")


@dataclass(frozen=True)
class Sent:
    """What the proxy sends to a client.

    Attributes:
        chunked: the body goes out in chunks, without its length.
        cut: bytes of the body after which the connection breaks off; None for a whole body.
        silent: nothing comes before the client gives up: neither head nor body (`all`), or no body (`body`).
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    cut: int | None = None
    silent: str = ""


Form = Callable[[dict[str, Any], Random], Sent]
"""Makes what is sent of the whole reply; it may change the reply."""


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        seen: what a client sees.
        forms: in which it comes, by name; each request draws one.
        mends: another try of the request mends it.
        tries: of one request in a row that it hits; after several the next one is answered.
    """

    seen: str
    forms: Mapping[str, Form]
    mends: bool
    tries: int = 1

    def drawn(self, kind: str, rate: float, seed: int, body: str, arrival: int) -> str | None:
        """The form in which a request meets this fault; None if it is answered as it should be.

        Args:
            body: the digest of the request.
            arrival: how often the same request arrived before.
        """
        number, place = divmod(arrival, self.tries + 1) if self.tries > 1 else (arrival, 0)
        draw = rng(seed, kind, body, number)
        hit = draw.random() < rate and place < self.tries
        return draw.choice(sorted(self.forms)) if hit else None


def _error(status: int, code: str, said: str, **headers: str) -> Form:
    kind = "server_error" if status >= 500 else "requests"
    body = json.dumps({"error": {"message": said, "type": kind, "param": None, "code": code}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda reply, draw: Sent(body, status, named)


def _plain(reply: dict[str, Any], **sent: Any) -> Sent:
    return Sent(json.dumps(reply, ensure_ascii=False).encode(), **sent)


def _cut(*, chunked: bool) -> Form:
    def form(reply: dict[str, Any], draw: Random) -> Sent:
        whole = _plain(reply, chunked=chunked)
        return Sent(whole.body, chunked=chunked, cut=draw.randrange(1, len(whole.body)))

    return form


def _broken_json(reply: dict[str, Any], draw: Random) -> Sent:
    whole = _plain(reply).body
    return Sent(whole[: draw.randrange(1, len(whole) - 1)])


def _altered(change: Callable[[dict[str, Any], Random], None]) -> Form:
    """A whole reply whose first choice is changed."""

    def form(reply: dict[str, Any], draw: Random) -> Sent:
        altered = copy.deepcopy(reply)
        change(altered["choices"][0], draw)
        return _plain(altered)

    return form


def _wrong_tool(choice: dict[str, Any], draw: Random) -> None:
    message = choice["message"]
    for call in message.get("tool_calls") or ():
        call["function"]["name"] = NO_TOOL.replace(".", "__")
    if message.get("content"):
        message["content"] = _TOOL.sub(
            lambda found: f"{found[1]}{NO_TOOL}" if found[1] else f'{found[2]}"{NO_TOOL}"', message["content"]
        )


def _nothing(content: str | None) -> Callable[[dict[str, Any], Random], None]:
    def change(choice: dict[str, Any], draw: Random) -> None:
        choice.update(message={"role": "assistant", "content": content}, finish_reason="stop")

    return change


def _babble(choice: dict[str, Any], draw: Random) -> None:
    choice.update(message={"role": "assistant", "content": "and so on " * (ENORMOUS // 10)})


def _blanks(choice: dict[str, Any], draw: Random) -> None:
    choice["message"]["content"] = (choice["message"]["content"] or "") + "\n" * ENORMOUS


def _refused(choice: dict[str, Any], draw: Random) -> None:
    choice.update(message={"role": "assistant", "content": None, "refusal": "I cannot help with that."})
    choice["finish_reason"] = "stop"


def _filtered(choice: dict[str, Any], draw: Random) -> None:
    choice.update(message={"role": "assistant", "content": None}, finish_reason="content_filter")


def _truncated(choice: dict[str, Any], draw: Random) -> None:
    """Half of the text, or half of a call's arguments."""
    message = choice["message"]
    for call in message.get("tool_calls") or ():
        function = call["function"]
        function["arguments"] = function["arguments"][: len(function["arguments"]) // 2]
    message["content"] = message["content"] and message["content"][: len(message["content"]) // 2]
    choice["finish_reason"] = "length"


def _without_usage(reply: dict[str, Any], draw: Random) -> Sent:
    return _plain({name: value for name, value in reply.items() if name != "usage"})


def _null_usage(reply: dict[str, Any], draw: Random) -> Sent:
    return _plain({**reply, "usage": None})


FAULTS: Mapping[str, Fault] = {
    "rate_limit": Fault(
        "Status 429, with a Retry-After of 0.2 seconds or without.",
        {
            "retry_after": _error(429, "rate_limit_exceeded", "Rate limit", retry_after=str(RETRY_AFTER)),
            "without": _error(429, "rate_limit_exceeded", "Rate limit reached"),
        },
        mends=True,
    ),
    "server_error": Fault(
        "Status 500.", {"json": _error(500, "internal_error", "The server had an error")}, mends=True
    ),
    "unavailable": Fault(
        "Status 503 for three tries of a request in a row.",
        {"json": _error(503, "overloaded", "The engine is overloaded")},
        mends=True,
        tries=BURST,
    ),
    "slow": Fault(
        "Nothing until the client gives up, or a head with status 200 and then nothing.",
        {
            "silent": lambda reply, draw: _plain(reply, silent="all"),
            "head_only": lambda reply, draw: _plain(reply, silent="body"),
        },
        mends=True,
    ),
    "cut": Fault(
        "Status 200 and a body that breaks off, one with its length and one in chunks.",
        {"length": _cut(chunked=False), "chunks": _cut(chunked=True)},
        mends=True,
    ),
    "malformed": Fault(
        "Status 200 and a body that is not JSON: half of it, a page of HTML, nothing.",
        {
            "half": _broken_json,
            "html": lambda reply, draw: Sent(HTML),
            "nothing": lambda reply, draw: Sent(b""),
        },
        mends=True,
    ),
    "wrong_tool": Fault(
        "A call of a tool that does not exist.", {"call": _altered(_wrong_tool)}, mends=False
    ),
    "empty": Fault(
        "A message without text and without calls.",
        {"text": _altered(_nothing("")), "null": _altered(_nothing(None))},
        mends=False,
    ),
    "enormous": Fault(
        "A message of four million characters: a word again and again, or a reply and blank lines.",
        {"babble": _altered(_babble), "blanks": _altered(_blanks)},
        mends=False,
    ),
    "refused": Fault(
        "A refusal in its own field, or a reply that a content filter held back.",
        {"refusal": _altered(_refused), "filter": _altered(_filtered)},
        mends=False,
    ),
    "truncated": Fault(
        "Half of a message, with the finish reason `length`.", {"half": _altered(_truncated)}, mends=False
    ),
    "no_usage": Fault(
        "A reply without token counts, or with none for them.",
        {"missing": _without_usage, "null": _null_usage},
        mends=False,
    ),
}
"""All kinds, by name."""
