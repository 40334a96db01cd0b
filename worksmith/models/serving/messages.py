"""Requests and replies in the form of OpenAI's chat API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dspy import lm15

from worksmith.tools.seeding import digest
from worksmith.tools.serving.bodies import json_body
from worksmith.tools.serving.refusals import RequestError

_FINISH = {"tool_call": "tool_calls"}
"""Finish reasons that have another name in the API."""

_PIECE = 256
"""Characters of a text in one event of a stream."""


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        RequestError: the body is not one.
    """
    value = json_body(body)
    if not isinstance(value, dict):
        raise RequestError(400, "invalid_json", "The body must be a JSON object")
    return value


def read_request(body: Mapping[str, Any]) -> lm15.Request:
    """The request to the model.

    Raises:
        RequestError: it is malformed, or asks for what this server does not have.
    """
    asked = {name: value for name, value in body.items() if name != "n" or value not in (None, 1)}
    try:
        return lm15.request_from_openai_chat(asked)
    except lm15.UnsupportedFeatureError as error:
        what = str(error).removeprefix("openai-chat: ").partition(" cannot be carried")[0]
        raise RequestError(400, "unsupported_parameter", f"This server does not take {what}") from None
    except (ValueError, TypeError) as error:
        raise RequestError(400, "invalid_request", str(error)) from None


def wants_stream(body: Mapping[str, Any]) -> bool:
    """Whether the reply should come as events.

    Raises:
        RequestError: the value is neither true nor false.
    """
    stream = body.get("stream")
    if stream is not None and not isinstance(stream, bool):
        raise RequestError(400, "invalid_request", "stream must be true or false")
    return bool(stream)


def wants_usage(body: Mapping[str, Any]) -> bool:
    """Whether the last event is to hold the usage.

    Raises:
        RequestError: the options of the stream are malformed.
    """
    options = body.get("stream_options") or {}
    if not isinstance(options, dict):
        raise RequestError(400, "invalid_request", "stream_options must be an object")
    return bool(options.get("include_usage"))


def completion(request: lm15.Request, response: lm15.Response, *, created: int) -> dict[str, Any]:
    """The reply as one object.

    Args:
        created: seconds since 1970.
    """
    message = _message(response.message)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(response)}
    return {
        **_head(request, message, "chat.completion", created),
        "choices": [choice],
        "usage": _usage(response.usage),
    }


def events(
    request: lm15.Request, response: lm15.Response, *, created: int, with_usage: bool
) -> Iterator[bytes]:
    """The reply as server-sent events, in pieces."""
    message = _message(response.message)
    head = _head(request, message, "chat.completion.chunk", created)
    extra = {"usage": None} if with_usage else {}
    for delta, finish in (*((delta, None) for delta in _deltas(message)), ({}, _finish(response))):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        yield _event({**head, "choices": [choice], **extra})
    if with_usage:
        yield _event({**head, "choices": [], "usage": _usage(response.usage)})
    yield b"data: [DONE]\n\n"


def models(name: str) -> dict[str, Any]:
    """The list of models: the one that is served."""
    return {"object": "list", "data": [model(name)]}


def model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "worksmith"}


def error_body(error: RequestError) -> dict[str, Any]:
    """An error as the API words it."""
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    return {"error": {"message": error.message, "type": kind, "param": None, "code": error.code}}


def _head(request: lm15.Request, message: Mapping[str, Any], what: str, created: int) -> dict[str, Any]:
    name = digest([repr(request), message], length=24)
    return {"id": f"chatcmpl-{name}", "object": what, "created": created, "model": request.model}


def _message(said: lm15.Message) -> dict[str, Any]:
    texts = [part.text for part in said.parts_of(lm15.TextPart)]
    refusals = [part.text for part in said.parts_of(lm15.RefusalPart)]
    thoughts = [part.text for part in said.parts_of(lm15.ThinkingPart)]
    calls = [_call(part) for part in said.parts_of(lm15.ToolCallPart)]
    return {
        "role": "assistant",
        "content": "\n".join(texts) if texts else None,
        "refusal": "\n".join(refusals) if refusals else None,
        **({"reasoning_content": "\n".join(thoughts)} if thoughts else {}),
        **({"tool_calls": calls} if calls else {}),
    }


def _call(part: lm15.ToolCallPart) -> dict[str, Any]:
    arguments = json.dumps(part.input, ensure_ascii=False)
    return {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": arguments}}


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for name in ("reasoning_content", "content", "refusal"):
        text = message.get(name) or ""
        yield from ({name: text[start : start + _PIECE]} for start in range(0, len(text), _PIECE))
    for index, call in enumerate(message.get("tool_calls", ())):
        yield {"tool_calls": [{"index": index, **call}]}


def _finish(response: lm15.Response) -> str:
    reason = str(response.finish_reason)
    return _FINISH.get(reason, reason)


def _usage(usage: lm15.Usage) -> dict[str, Any] | None:
    """Token counts; None from a model without counts."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    counted = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    }
    if usage.cache_read_tokens is not None:
        counted["prompt_tokens_details"] = {"cached_tokens": usage.cache_read_tokens}
    return counted


def _event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode("utf-8", "replace") + b"\n\n"
