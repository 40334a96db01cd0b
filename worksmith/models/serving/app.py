"""A model behind OpenAI's chat API, as an ASGI application."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any, Protocol

from dspy import lm15
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from worksmith.evals.lm.failures import failure_status, may_be_over_soon
from worksmith.evals.lm.finish_reasons import settled
from worksmith.models.serving.messages import (
    completion,
    error_body,
    events,
    model,
    models,
    read_body,
    read_request,
    wants_stream,
    wants_usage,
)
from worksmith.tools.files.secrets import described
from worksmith.tools.serving.application import Application
from worksmith.tools.serving.refusals import RequestError

LONGEST_BODY = 16 << 20
"""Bytes of a request."""

_THREADS = 32
"""Requests that the model is asked at the same time; further ones wait."""

_OF_REQUEST = {
    "context_limit": "context_length_exceeded",
    "filtered": "content_filter",
    "invalid_request": "invalid_request",
}
"""Failures that another try of the same request meets again, with the API's names for them."""


class ServedEngine(Protocol):
    """A model as `dspy.LM(engine=...)` takes it. Several threads use it at once."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply to a request."""


class ModelApp(Application):
    """The chat API over one model.

    Args:
        name: by which clients ask for it.
        token: that clients show.
        host: that the server listens on.
        seconds: that a reply may take.
    """

    def __init__(self, engine: ServedEngine, name: str, token: str, *, host: str, seconds: float) -> None:
        super().__init__(host, threads=_THREADS, longest_body=LONGEST_BODY)
        self._engine = engine
        self._name = name
        self._token = token
        self._seconds = seconds

    async def answer(self, http: Request) -> Response:
        """The answer to a client that shows the token."""
        self.check_token(http, self._token)
        path = http.scope["path"].rstrip("/")
        if path == "/v1/chat/completions":
            _check_method(http, "POST")
            return await self._chat(read_body(await self.body(http)))
        if path == "/v1/models":
            _check_method(http, "GET")
            return _json(models(self._name))
        if path.startswith("/v1/models/"):
            _check_method(http, "GET")
            self._check_model(path.removeprefix("/v1/models/"))
            return _json(model(self._name))
        raise RequestError(404, "unknown_url", f"Unknown request URL: {http.method} {path}")

    def refusal(self, error: RequestError) -> Response:
        """A refusal in OpenAI's shape."""
        return _json(error_body(error), error.status)

    async def _chat(self, body: Mapping[str, Any]) -> Response:
        request, stream, usage = read_request(body), wants_stream(body), wants_usage(body)
        self._check_model(request.model)
        try:
            response = await asyncio.wait_for(self.in_thread(self._ask, request), self._seconds)
        except TimeoutError:
            message = f"The reply took longer than {self._seconds:g} seconds"
            raise RequestError(504, "timeout", message) from None
        created = int(time.time())
        if not stream:
            return _json(completion(request, response, created=created))
        pieces = events(request, response, created=created, with_usage=usage)
        return StreamingResponse(pieces, media_type="text/event-stream")

    def _ask(self, request: lm15.Request) -> lm15.Response:
        try:
            return settled(self._engine.complete(request))
        except Exception as error:
            status = failure_status(error)
            if status in _OF_REQUEST:
                raise RequestError(400, _OF_REQUEST[status], described(error)) from error
            if status == "model_error":
                code = 503 if may_be_over_soon(error) else 500
                raise RequestError(code, "model_error", described(error)) from error
            raise

    def _check_model(self, name: str) -> None:
        if name != self._name:
            message = f"The model {name!r} does not exist; this server has {self._name!r}"
            raise RequestError(404, "model_not_found", message)


def _check_method(http: Request, method: str) -> None:
    if http.method != method:
        raise RequestError(405, "method_not_allowed", f"{http.method} is not allowed here; use {method}")


def _json(data: Mapping[str, Any], status: int = 200) -> Response:
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return Response(text, status, media_type="application/json")
