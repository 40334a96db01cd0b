"""A Chroma server or Chroma Cloud: address, log-in, health.

Credentials, tenant and database come from the environment, so no file that is shared has them: a token in
`CHROMA_API_KEY`, further headers in Chroma's own `CHROMA_SERVER_HEADERS` (JSON), `CHROMA_TENANT` and
`CHROMA_DATABASE`.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.store_check import StoreError
from worksmith.retrievers.reaching import ANSWER, CONNECT, connect

ADDRESS = "WORKSMITH_STORE"
"""The environment variable with the address of the server, by default."""

_TOKENS = "chromadb.auth.token_authn.TokenAuthClientProvider"
_LONGEST = 60.0
"""Seconds for the answer to any request."""


class Address(NamedTuple):
    """The place of a server."""

    host: str
    port: int
    secure: bool


def is_server(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def parsed(address: str) -> Address:
    """The parts of `http://host:port` or `https://host`; the default ports are 8000 and 443."""
    parts = urlsplit(address)
    hint = "write http://host:port"
    if parts.username is not None:
        where = f"{parts.scheme}://{parts.hostname}"
        hint = "put a token into CHROMA_API_KEY, or headers into CHROMA_SERVER_HEADERS"
        raise RetrievalError("an address may not hold a log-in", where=where, hint=hint)
    try:
        port = parts.port
    except ValueError as error:
        raise RetrievalError(str(error), where=address, hint=hint) from error
    if not is_server(address) or not parts.hostname or parts.path.strip("/"):
        raise RetrievalError("is not an address of a server", where=address, hint=hint)
    secure = parts.scheme == "https"
    return Address(parts.hostname, port or (443 if secure else 8000), secure)


def server_client(address: str, settings: Any) -> Any:
    """A client of the server at `address`, which has answered.

    Args:
        settings: Chroma's.

    Raises:
        RetrievalError: the address is invalid.
        StoreError: the server does not answer within ten seconds.
    """
    from chromadb.api.client import Client

    place = parsed(address)
    _check(address, place)
    settings.chroma_api_impl = "chromadb.api.fastapi.FastAPI"
    settings.chroma_server_host = place.host
    settings.chroma_server_http_port = place.port
    settings.chroma_server_ssl_enabled = place.secure
    key, tenant = os.environ.get("CHROMA_API_KEY"), os.environ.get("CHROMA_TENANT")
    if key:
        settings.chroma_client_auth_provider = _TOKENS
        settings.chroma_client_auth_credentials = key
        settings.chroma_auth_token_transport_header = (
            settings.chroma_auth_token_transport_header or "X-Chroma-Token"
        )
        # Chroma Cloud knows the tenant by the key.
        settings.chroma_overwrite_singleton_tenant_database_access_from_auth = not tenant
    client = Client(
        tenant=tenant or (None if key else "default_tenant"),
        database=os.environ.get("CHROMA_DATABASE") or (None if key and not tenant else "default_database"),
        settings=settings,
    )
    session = getattr(client._server, "_session", None)
    if session is not None:  # it waits for ever otherwise
        session.timeout = _LONGEST
    return client


def _check(address: str, place: Address) -> None:
    """See that a server answers; Chroma itself would wait for ever."""
    import httpx

    scheme = "https" if place.secure else "http"
    try:
        if not (scheme in getproxies() and not proxy_bypass(place.host)):
            connect(place.host, place.port)
        wait = httpx.Timeout(ANSWER, connect=CONNECT)
        answer = httpx.get(f"{scheme}://{place.host}:{place.port}/api/v2/heartbeat", timeout=wait)
    except (OSError, httpx.HTTPError) as error:
        message = f"no answer within {ANSWER} s" if isinstance(error, httpx.TimeoutException) else str(error)
        raise _failed(message, address, "does the server run?") from error
    if answer.status_code in (502, 503, 504):
        raise _failed(f"its gateway answers {answer.status_code}", address, "does the server run?")


def failure(error: BaseException, address: str) -> StoreError:
    """A failure of a server, in words for the person who can repair it."""
    said = str(error).strip().partition("\n")[0]
    refused = any(word in said.lower() for word in ("401", "403", "unauthorized", "forbidden", "permission"))
    hint = "set CHROMA_API_KEY or CHROMA_SERVER_HEADERS" if refused else "does the server run?"
    return _failed(said, address, hint)


def _failed(said: str, address: str, hint: str) -> StoreError:
    return StoreError(f"the vector store failed: {said}", where=address, hint=hint)
