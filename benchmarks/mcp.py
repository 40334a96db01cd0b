"""Malformed messages to `worksmith serve tools`, over stdio and over HTTP.

One episode makes a change and ends. Another makes the same change, then gets malformed messages: random
bytes, cut and changed JSON, no JSON-RPC, deep nesting, huge numbers, halves of surrogate pairs, wrong
types, forged identities, unknown methods; over HTTP also wrong sessions, tokens, hosts, methods, and bytes
that are no HTTP. Both outcomes have to be the same, and the server has to answer all the time.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._malformed import malformed
from benchmarks.loop import office

NAME = "mcp"
DESCRIPTION = "malformed messages to the MCP server over stdio and HTTP: crashes and changes of state"

TASK = "fuzz"
_EVENT = {
    "event_name": "Review",
    "participant_email": "kim.lee@atlas.com",
    "event_start": "2023-12-01 09:00:00",
    "duration": "30",
}
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
_EVERY = 100
"""Messages between two questions whether the server is well."""

_PATIENCE = 60.0
_TOKEN = "a-token-for-the-benchmark"


def run(quick: bool) -> dict[str, Any]:
    """10,000 messages over each transport (quick: 150), with the outcomes before and after."""
    count, started = 150 if quick else 10_000, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        suite = _suite(Path(folder) / "suite")
        logs = {name: Path(folder) / f"{name}.jsonl" for name in ("plain", "stdio", "http")}
        with _server(suite, logs["stdio"], "stdio") as pipe, _server(suite, logs["http"], "http") as web:
            found = {"http": _over_http(web, count), "stdio": _over_stdio(pipe, count)}
        for name in ("http", "stdio"):
            found[name] |= _outcomes(logs[name])
    return {**found, "seconds": round(time.perf_counter() - started, 1)}


def _suite(folder: Path) -> Path:
    from worksmith.evals.suite import write_suite
    from worksmith.evals.tasks.task import Step, Task

    env = office(folder)
    query = "Put a review with Kim Lee into my calendar, tomorrow at nine for 30 minutes."
    plan = (Step(tool="calendar.create_event", arguments=_EVENT),)
    write_suite(env.world, [Task(id=TASK, query=query, domains=("calendar",), gold_plan=plan, expected=plan)])
    return folder


@contextlib.contextmanager
def _server(suite: Path, log: Path, transport: str) -> Iterator[subprocess.Popen[bytes]]:
    words = ["serve", "tools", suite, "--task", TASK, "--log", log, "--transport", transport]
    process = subprocess.Popen(
        [sys.executable, "-m", "worksmith.cli", *map(str, words), "--port", "0", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log.with_suffix(".err").open("wb"),
        env={**os.environ, "WORKSMITH_SERVE_TOKEN": _TOKEN},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class _Pipe:
    """A client over stdin and stdout."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        self.process, self._into = process, process.stdin
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.replies: Counter[str] = Counter()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: bytes) -> None:
        self._into.write(message.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
        self._into.flush()

    def ask(self, id: str, method: str, **params: Any) -> Any:
        """The result of a request."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode())
        while True:
            reply = json.loads(self._lines.get(timeout=_PATIENCE))
            if reply.get("id") == id:
                return reply["result"]
            self.replies["error" if "error" in reply else "result"] += 1

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)


def _over_stdio(process: subprocess.Popen[bytes], count: int) -> dict[str, Any]:
    pipe, messages = _Pipe(process), malformed(Random("stdio"))
    for message in islice(messages, 20):
        if not _begins(message):
            pipe.send(message)
    pipe.ask("hello", "initialize", **_HELLO)
    pipe.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    _change(pipe)
    for number, message in enumerate(islice(messages, count)):
        pipe.send(message)
        if number % _EVERY == 0:
            pipe.ask(f"well-{number}", "ping")
    _look(pipe)
    pipe._into.close()
    return {"messages": count, "replies": dict(pipe.replies), "exit_code": process.wait(_PATIENCE)}


def _begins(message: bytes) -> bool:
    """Whether a message decides which version of the protocol is spoken."""
    return b"protocolVersion" in message or b"server/discover" in message


class _Web:
    """A client over HTTP."""

    def __init__(self, address: dict[str, str]) -> None:
        self._host = address["url"].split("/")[2]
        self.headers = {
            "Authorization": f"Bearer {address['token']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self.statuses: Counter[int] = Counter()
        self.hung_up = 0  # on messages so long that they were refused before they were read
        self._connection = http.client.HTTPConnection(self._host, timeout=_PATIENCE)

    def begin(self) -> str:
        """Begin a session; gives its id."""
        self.headers.pop("Mcp-Session-Id", None)
        self.ask("hello", "initialize", **_HELLO)
        self.headers["Mcp-Session-Id"] = self.named
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self.named

    def ask(self, id: str, method: str, **params: Any) -> Any:
        """The result of a request."""
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        return json.loads(self.send(json.dumps(message).encode()))["result"]

    def send(self, message: bytes, method: str = "POST", path: str = "/mcp", **headers: str) -> bytes:
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        for _ in range(2):
            try:
                self._connection.request(method, path, message, sent)
                reply = self._connection.getresponse()
                self.named = reply.headers.get("mcp-session-id", "")
                self.statuses[reply.status] += 1
                return reply.read()
            except (http.client.HTTPException, ConnectionError):
                self._connection.close()  # closed by the server after the request before this one
        self.hung_up += 1
        return b""

    def shout(self, data: bytes) -> None:
        """Send bytes that are no HTTP, and hang up."""
        host, _, port = self._host.rpartition(":")
        with socket.create_connection((host, int(port)), _PATIENCE) as sock, contextlib.suppress(OSError):
            sock.sendall(data + b"\r\n\r\n")


def _over_http(process: subprocess.Popen[bytes], count: int) -> dict[str, Any]:
    assert process.stdout
    web, random = _Web(json.loads(process.stdout.readline())), Random("http")
    ended = web.begin()
    _change(web)
    web.ask("end", "tools/call", name="finish", arguments={"answer": "Done."})
    web.begin()
    _change(web)
    web.statuses.clear()
    for number, message in enumerate(islice(malformed(random), count)):
        match random.randrange(10):
            case 0:
                web.send(message, **_odd_headers(random, ended))
            case 1:
                odd = random.choice(("GET", "PUT", "PATCH", "OPTIONS", "HEAD", "QUERY"))
                web.send(message, odd, random.choice(("/mcp", "/", "/mcp/../mcp", "/mcp/%2e%2e", "/%00")))
            case 2:
                web.shout(message)
            case _:
                web.send(message)
        if number % _EVERY == 0:
            web.ask(f"well-{number}", "ping")
    _look(web)
    statuses = {str(status): many for status, many in sorted(web.statuses.items())}
    process.send_signal(signal.SIGTERM)
    return {
        "messages": count,
        "statuses": statuses,
        "hung_up": web.hung_up,
        "server_errors": sum(many for status, many in web.statuses.items() if status >= 500),
        "exit_code": process.wait(_PATIENCE),
    }


def _odd_headers(random: Random, ended: str) -> dict[str, str]:
    name, values = random.choice(
        (
            ("Mcp_Session_Id", (ended + "0", "0" * 32, "", "../..", "a" * 5000, "\x7f")),
            ("Mcp_Protocol_Version", ("2026-07-28", "1999-01-01", "", "x" * 3000)),
            ("Authorization", ("", "Bearer", "Bearer " + "a" * 32, "Basic Y2VvOmNlbw==", "bearer\t")),
            ("Host", ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1", "")),
            ("Origin", ("http://evil.example", "null", "http://127.0.0.1.evil.example:80")),
            ("Content_Type", ("text/plain", "", "application/xml", "application/jsonx")),
            ("Accept", ("", "text/html", "image/*;q=x")),
            ("X_Persona", ("ceo",)),
        )
    )
    return {name: random.choice(values)}


def _change(client: _Pipe | _Web) -> None:
    reply = client.ask("change", "tools/call", name="calendar__create_event", arguments=_EVENT)
    assert not reply.get("isError"), reply


def _look(client: _Pipe | _Web) -> None:
    reply = client.ask("look", "tools/call", name="calendar__search_events", arguments={"query": "Review"})
    assert "Review" in reply["content"][0]["text"], reply


def _outcomes(log: Path) -> dict[str, Any]:
    """What became of the episodes, beside that of one that only made the change."""
    from worksmith.evals.records.log import read_log
    from worksmith.tools.seeding import digest

    records = list(read_log(log))
    outcomes = [digest([change.model_dump(mode="json") for change in each.changes]) for each in records]
    said = log.with_suffix(".err").read_text()
    return {
        "outcomes": outcomes,
        "calls": len(records[-1].calls),
        "score": records[-1].scores["outcome"],
        "tracebacks": said.count("Traceback"),
    }
