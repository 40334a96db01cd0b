"""A chat server in a process of its own that answers late, and may refuse what comes too fast.

    python -m benchmarks._slow_server 0.2 4 [LIMIT SECONDS]

It prints its address. Each reply takes 0.2 seconds; the first 4 of an episode call a tool, the next finishes,
for our agent and for `dspy.ReAct`, which the server tells by the names of the fields in its prompts.
With a limit, the first LIMIT requests of any window of that many seconds are answered, and the others get 429
with `Retry-After`. GET of any path returns the counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import urllib.request
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TOOL = "calendar.search_events"


@dataclass(frozen=True)
class SlowServer:
    """A running server. `url`: for clients of the chat API."""

    url: str

    def counts(self) -> dict[str, Any]:
        """`asked`: requests so far; `refused` of them; `most` in flight; `seconds` since the first."""
        with urllib.request.urlopen(self.url) as reply:
            found: dict[str, Any] = json.load(reply)
        return found


@contextlib.contextmanager
def serving(latency: float, steps: int, limit: tuple[int, float] | None = None) -> Iterator[SlowServer]:
    """A server for as long as the block lasts; see the module."""
    numbers = [str(each) for each in (latency, steps, *(limit or ()))]
    command = [sys.executable, "-m", "benchmarks._slow_server", *numbers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield SlowServer(process.stdout.readline().strip())
        finally:
            process.terminate()


class _Books:
    """What the server was asked."""

    def __init__(self, latency: float, steps: int, limit: tuple[int, float] | None) -> None:
        self.latency = latency
        self.limit = limit
        self.steps = steps
        self.ours = [_reply(_ours(done, steps)) for done in range(steps + 1)]
        self.react = [_reply(_react(done, steps)) for done in range(steps + 1)]
        self.answer = _reply({"reasoning": "All meetings were seen.", "answer": "Two a week."})
        self.asked = self.refused = self.in_flight = self.most = 0
        self.started = self.last = 0.0
        self.answered: deque[float] = deque()

    def admits(self) -> float:
        """Seconds until a request would be answered; 0 if this one is."""
        now = asyncio.get_running_loop().time()
        self.started = self.started or now
        self.asked += 1
        self.last = now
        if self.limit is None:
            return 0.0
        count, window = self.limit
        while self.answered and self.answered[0] <= now - window:
            self.answered.popleft()
        if len(self.answered) < count:
            self.answered.append(now)
            return 0.0
        self.refused += 1
        return self.answered[0] + window - now

    def reply_to(self, body: bytes) -> bytes:
        if b"next_thought" in body:
            return self.react[min(body.count(b"[[ ## observation_"), self.steps)]
        if b"[[ ## reasoning ## ]]" in body:
            return self.answer
        return self.ours[min(body.count(b'"assistant"'), self.steps)]

    def counts(self) -> bytes:
        counts = {name: getattr(self, name) for name in ("asked", "refused", "most")}
        return json.dumps({**counts, "seconds": self.last - self.started}).encode()


class _Connection(asyncio.Protocol):
    def __init__(self, books: _Books) -> None:
        self._books = books
        self._read = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, end, rest = self._read.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if len(rest) < length:
            return
        self._read = rest[length:]
        self._answer(head, rest[:length])

    def _answer(self, head: bytes, body: bytes) -> None:
        books = self._books
        assert self._transport is not None
        if head.startswith(b"GET"):
            self._transport.write(_response(200, books.counts()))
            return
        wait = books.admits()
        if wait:
            error = json.dumps({"error": {"message": "too fast", "type": "rate_limit"}}).encode()
            self._transport.write(_response(429, error, f"Retry-After: {wait:.3f}\r\n"))
            return
        books.in_flight += 1
        books.most = max(books.most, books.in_flight)
        asyncio.get_running_loop().call_later(books.latency, self._reply, books.reply_to(body))

    def _reply(self, reply: bytes) -> None:
        self._books.in_flight -= 1
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(reply)


def _ours(done: int, steps: int) -> dict[str, str]:
    tool, arguments = _call(done, steps)
    if tool == "finish":
        arguments = {"answer": "Two a week."}
    return {"thought": "Look at the next week.", "tool": tool, "arguments": json.dumps(arguments)}


def _react(done: int, steps: int) -> dict[str, str]:
    tool, arguments = _call(done, steps)
    names = {"next_tool_name": tool, "next_tool_args": json.dumps(arguments)}
    return {"next_thought": "Look at the next week.", **names}


def _call(done: int, steps: int) -> tuple[str, dict[str, str]]:
    if done >= steps:
        return "finish", {}
    return TOOL, {"query": "kim", "time_min": f"2023-12-{done + 1:02}"}


def _reply(fields: dict[str, str]) -> bytes:
    """A response with a completion in the fields of DSPy's chat format."""
    texts = {**fields, "completed": ""}.items()
    text = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in texts)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 30, "total_tokens": 1030}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "slow"}
    return _response(200, json.dumps({**head, "choices": [choice], "usage": usage}).encode())


def _response(status: int, body: bytes, headers: str = "") -> bytes:
    head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def _main() -> None:
    latency, steps, *limit = sys.argv[1:]
    books = _Books(float(latency), int(steps), (int(limit[0]), float(limit[1])) if limit else None)
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(books), "127.0.0.1", backlog=2048
    )
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
