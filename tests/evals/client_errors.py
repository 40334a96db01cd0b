"""Exceptions of client libraries, with their statuses, as these libraries raise them."""

from __future__ import annotations

import urllib.error
from email.message import Message
from types import SimpleNamespace
from typing import Any

import httpx
import openai
import requests
from aiohttp import ClientResponseError
from aiohttp.client_reqrep import RequestInfo
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

REQUEST = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
TOO_LONG = "This model's maximum context length is 8192 tokens. However, you sent 9000."


def of_openai(
    kind: type[openai.APIStatusError], status: int, said: str, **body: str
) -> openai.APIStatusError:
    return kind(said, response=httpx.Response(status, request=REQUEST), body={"message": said, **body})


def of_httpx(code: int, said: str = "") -> httpx.HTTPStatusError:
    answer = httpx.Response(code, text=said, request=REQUEST)
    return httpx.HTTPStatusError(f"{code} for url", request=REQUEST, response=answer)


def of_requests(code: int, said: str = "") -> requests.HTTPError:
    answer = requests.Response()
    answer.status_code, answer._content = code, said.encode()
    return requests.HTTPError(f"{code} for url", response=answer)


def of_aiohttp(code: int) -> ClientResponseError:
    url, headers = URL("http://127.0.0.1"), CIMultiDictProxy[str](CIMultiDict())
    return ClientResponseError(RequestInfo(url, "POST", headers, url), (), status=code)


def of_urllib(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://127.0.0.1", code, "so", Message(), None)


def foreign(module: str, *names: str, said: str = "", **attributes: Any) -> Exception:
    """An exception as a library has it that is not installed here, with its bases, the most general last."""
    made: type[Exception] = Exception
    for name in reversed(names):
        made = type(name, (made,), {"__module__": module})
    error = made(said)
    vars(error).update(attributes)
    return error


def of_amazon(code: str, status: int, said: str = "") -> Exception:
    data = {"Error": {"Code": code, "Message": said}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return foreign("botocore.exceptions", "ClientError", said=said, response=data)


def of_grpc(code: str, said: str = "") -> Exception:
    names = ("_InactiveRpcError", "RpcError")
    return foreign("grpc._channel", *names, said=said, code=lambda: SimpleNamespace(name=code))


def raised_from(cause: Exception, error: Exception | None = None) -> Exception:
    try:
        raise (error or RuntimeError("the agent failed")) from cause
    except Exception as caught:
        return caught


ANTHROPIC = ("anthropic", "RateLimitError", "APIStatusError", "APIError", "AnthropicError")
GOOGLE = ("google.genai.errors", "ClientError", "APIError")
API_CORE = "google.api_core.exceptions"
