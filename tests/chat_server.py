"""A server on this machine that speaks the chat API of OpenAI and says one scripted thing after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.support.servers import serving

Reply = dict[str, Any]
"""The `message` of a completion; an `error` in its place is the status with which the server fails.

What it then says is under `said`, and the seconds to wait under `retry_after`. Why the model stopped is under
`finish_reason`, if that is to be said. A response of another protocol is `whole`; `raw` writes what it likes.
"""


class ChatServer:
    """Attributes:
    url: for `api_base`.
    bodies: of the requests so far, in order.
    headers: of the same requests.
    usage: what each completion reports; None for a server that reports nothing.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.usage: dict[str, int] | None = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
        self._replies: list[Reply] = []

    def say(self, *replies: Reply) -> None:
        """What the next requests are answered with."""
        self._replies.extend(replies)

    def answer(self, body: dict[str, Any]) -> Reply:
        """The reply to a request."""
        self.bodies.append(body)
        return self._replies.pop(0) if self._replies else {"error": 500}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        return list(self.bodies[-1]["messages"])


@contextmanager
def chat_server(kind: type[ChatServer] = ChatServer) -> Iterator[ChatServer]:
    """A server that runs for as long as the block does."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server = kind(f"http://127.0.0.1:{http.server_address[1]}/v1")
    http.chat = server  # type: ignore[attr-defined]
    with serving(http):
        yield server


def called(*calls: tuple[str, Any], text: str | None = None, ids: str = "call_") -> Reply:
    """A message with tool calls, by name and arguments; arguments that are text go out as they are."""
    made = [
        {
            "id": f"{ids}{name}"[:40],
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def said(text: str | None) -> Reply:
    """A message without a call."""
    return {"role": "assistant", "content": text}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.chat.headers.append(dict(self.headers.items()))  # type: ignore[attr-defined]
        message = self.server.chat.answer(body)  # type: ignore[attr-defined]
        if "error" in message:
            failure = {"message": message.get("said", "scripted failure"), "type": "server_error"}
            self._send(message["error"], {"error": failure}, message.get("retry_after"))
            return
        if "raw" in message:
            with suppress(OSError):
                message["raw"](self.wfile)
            return
        if "whole" in message:
            self._send(200, message["whole"])
            return
        usual = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {
            "index": 0,
            "message": {name: value for name, value in message.items() if name != "finish_reason"},
            "finish_reason": message.get("finish_reason", usual),
        }
        usage = self.server.chat.usage  # type: ignore[attr-defined]
        self._send(
            200,
            {
                "id": "chat-1",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [choice],
                **({"usage": usage} if usage else {}),
            },
        )

    def _send(self, status: int, data: dict[str, Any], retry_after: float | None = None) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
