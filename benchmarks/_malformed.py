"""Malformed messages for an MCP server: none of them is a call that a tool would carry out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

_EVENT = {
    "event_name": "Forged",
    "participant_email": "kim.lee@atlas.com",
    "event_start": "2023-12-01 09:00:00",
    "duration": "30",
}
CALL: dict[str, Any] = {
    "name": "calendar__create_event",
    "arguments": {**_EVENT, "persona": "somebody.else"},
}
"""A call that writes, but for one argument: it names another persona, and no tool takes that."""

_METHODS = (
    "ping",
    "initialize",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "logging/setLevel",
    "completion/complete",
    "server/discover",
    "subscriptions/listen",
    "sampling/createMessage",
    "roots/list",
    "tasks/get",
    "worksmith/persona",
    "",
    "\u0000",
    "__proto__",
)
_BIG = (10**30, -(10**30), 2**63, 2**64, 1e308, -0.0)
_RAW = ("1e999", "-1e999", "NaN", "Infinity", "1" * 5000, "0x1", "01", "1.", '"\\ud800"', '"\\udc00\\ud800"')
"""Values as they cannot be written by a careful encoder."""


def malformed(random: Random) -> Iterator[bytes]:
    """Messages without end."""
    kinds = (_noise, _cut, _changed, _not_rpc, _nested, _odd_values, _wrong_types, _forged, _unknown, _long)
    while True:
        yield random.choice(kinds)(random)


def _noise(random: Random) -> bytes:
    return random.randbytes(random.choice((0, 1, 7, 64, 2000)))


def _cut(random: Random) -> bytes:
    whole = _call(random)
    return whole[: random.randrange(len(whole))]


def _changed(random: Random) -> bytes:
    whole = bytearray(_call(random))
    for _ in range(random.randint(1, 5)):
        whole[random.randrange(len(whole))] = random.randrange(256)
    return bytes(whole)


def _not_rpc(random: Random) -> bytes:
    message = json.loads(_call(random))
    match random.randrange(6):
        case 0:
            message["jsonrpc"] = random.choice(("1.0", "2", 2.0, None, [], {}))
        case 1:
            message["id"] = random.choice((None, True, 1.5, [], {}, [1], {"id": 1}, ""))
        case 2:
            message["method"] = random.choice((None, 1, [], {}, True))
        case 3:
            message["params"] = random.choice((None, 1, "x", [], [CALL], True))
        case 4:
            del message[random.choice(tuple(message))]
        case _:
            message = random.choice(([], [message], [[]], {}, None, 1, "call", True, {"jsonrpc": "2.0"}))
    return _bytes(message)


def _nested(random: Random) -> bytes:
    deep = random.choice((50, 150, 1000, 20_000))
    inner = random.choice((b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep, b"[" * deep))
    if random.random() < 0.3:
        return inner
    return _call(random, place="!").replace(b'"!"', inner)


def _odd_values(random: Random) -> bytes:
    value = random.choice(_RAW).encode()
    if random.random() < 0.3:
        return b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{}}' % value
    return _call(random, place="!").replace(b'"!"', value)


def _wrong_types(random: Random) -> bytes:
    odd = random.choice((None, 1, 1.5, True, [], {}, [CALL], "x", {"a": [1]}, random.choice(_BIG)))
    params: Any = dict(CALL)
    params[random.choice(("name", "arguments", "_meta", "task", "cursor", "progressToken"))] = odd
    return _bytes(_message(random, random.choice(("tools/call", "prompts/get", "tools/list")), params))


def _forged(random: Random) -> bytes:
    name = random.choice(
        ("persona", "user", "as", "session", "episode", "task", "identity", "context", "ctx")
    )
    arguments = {**_EVENT, name: random.choice(("ceo", "admin", "root", None, {"id": "ceo"}, ["ceo"]))}
    meta = {"persona": "ceo", "io.modelcontextprotocol/clientInfo": {"name": "ceo", "version": "1"}}
    params = {"name": CALL["name"], "arguments": arguments, "_meta": meta, "persona": "ceo"}
    return _bytes(_message(random, "tools/call", params))


def _unknown(random: Random) -> bytes:
    method = random.choice(_METHODS)
    name = random.choice(
        ("", "finish ", "calendar.", "next_task", "os.system", "../finish", "task\u0000", "é" * 99)
    )
    params = random.choice(
        (None, {}, {"name": name}, {"name": name, "arguments": {}}, {"uri": "file:///etc"})
    )
    message = _message(random, method, params)
    if method.startswith("notifications/") or random.random() < 0.2:
        message.pop("id", None)
    if random.random() < 0.1:
        answer: Any = random.choice(
            ({"result": {}}, {"error": {"code": 1, "message": "no"}}, {"result": None})
        )
        message = {"jsonrpc": "2.0", "id": message.get("id"), **answer}
    return _bytes(message)


def _long(random: Random) -> bytes:
    text = random.choice(("a", "\u0000", "\\", "é", "\U0001f600", "\u2028")) * random.choice((1000, 100_000))
    return _call(random, place=text)


def _call(random: Random, place: Any = "ceo") -> bytes:
    arguments = {**_EVENT, "persona": place}
    return _bytes(_message(random, "tools/call", {"name": CALL["name"], "arguments": arguments}))


def _message(random: Random, method: str, params: Any) -> dict[str, Any]:
    id = random.choice((random.randrange(10**6), f"fuzz-{random.randrange(10**6)}", random.choice(_BIG[:4])))
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def _bytes(message: Any) -> bytes:
    return json.dumps(message).encode()
