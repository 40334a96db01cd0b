"""A model on a real socket in this process, and OpenAI's client at it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import openai
from dspy import lm15

from worksmith.models.serving.app import ModelApp
from worksmith.tools.serving.server import Server

TOKEN = "a-token-for-tests-only"
NAME = "local/scripted"


@dataclass
class Scripted:
    """An engine that answers with what a test gives it.

    Attributes:
        requests: those that it was asked.
    """

    reply: Callable[[lm15.Request], lm15.Response]
    requests: list[lm15.Request] = field(default_factory=list)

    def complete(self, request: lm15.Request) -> lm15.Response:
        self.requests.append(request)
        return self.reply(request)


def said(
    *parts: lm15.Part, finish: lm15.FinishReason = "stop", usage: lm15.Usage | None = None
) -> lm15.Response:
    """A reply of these parts."""
    counted = lm15.Usage(input_tokens=7, output_tokens=2) if usage is None else usage
    return lm15.Response(None, "any", lm15.Message.assistant(list(parts)), finish, counted)


@dataclass(frozen=True)
class Served:
    """A running server. `url`: with `/v1`."""

    url: str
    engine: Scripted

    def client(self, token: str = TOKEN) -> openai.OpenAI:
        return openai.OpenAI(
            base_url=self.url, api_key=token, max_retries=0, http_client=httpx.Client(trust_env=False)
        )

    def http(self) -> httpx.Client:
        """A client of no API, with the token."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=20)


@contextmanager
def served(engine: Scripted, *, seconds: float = 20.0) -> Iterator[Served]:
    """A server for the duration of the block."""
    app = ModelApp(engine, NAME, TOKEN, host="127.0.0.1", seconds=seconds)
    server = Server(app, secure=False)
    with server.listening() as at:
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield Served(f"{at.url}/v1", engine)
        finally:
            server.stop()
            thread.join()
