"""A chat server with a meter, for processes that come and go: it knows what it was asked, whoever lived."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.support.servers import serving
from worksmith.tools.seeding import digest


class PaidModel:
    """An engine behind an address.

    Attributes:
        url: for the API of OpenAI.
        asked: the key of the client and the digest of each request so far, as they arrived. The reply to a
            request has the digest as its id.
    """

    def __init__(self, engine: Any) -> None:
        self.url = ""
        self.asked: list[tuple[str, str]] = []
        self._engine = engine
        self._lock = threading.Lock()

    def complete(self, client: str, body: dict[str, Any]) -> dict[str, Any]:
        """The completion that a request gets, after it was counted."""
        from dspy import lm15

        key = digest(body, length=32)
        with self._lock:
            self.asked.append((client, key))
        shown = {name: value for name, value in body.items() if name != "n"}
        reply = self._engine.complete(lm15.request_from_openai_chat(shown))
        message = {"role": "assistant", "content": reply.message.text}
        used = {"prompt_tokens": len(json.dumps(body)) // 4, "completion_tokens": 10}
        return {
            "id": key,
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {**used, "total_tokens": sum(used.values())},
        }


@contextmanager
def paid_model(engine: Any) -> Iterator[PaidModel]:
    """A model that answers for as long as the block lasts."""
    model = PaidModel(engine)
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    model.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    http.model = model  # type: ignore[attr-defined]
    with serving(http):
        yield model


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return  # whoever asked was killed while asking
        client = self.headers["Authorization"].removeprefix("Bearer ")
        completion = self.server.model.complete(client, json.loads(body))  # type: ignore[attr-defined]
        content = json.dumps(completion).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except ConnectionError:
            pass  # whoever asked was killed

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
