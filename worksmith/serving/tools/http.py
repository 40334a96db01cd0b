"""Any number of clients over streamable HTTP: each session has its own episode.

Sessions are those of the protocol up to 2025-11-25, which begin with `initialize`. Later versions have no
session; a client that speaks both gets the version to use. The server sends nothing but replies, so it has no
streams.
"""

from __future__ import annotations

import asyncio
import traceback
from uuid import uuid4

import anyio
import mcp_types as types
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from worksmith.programs.own_agents.mcp_server import tool_server
from worksmith.serving.tools.episodes import ClientEpisode, Open
from worksmith.tools.errors import InputError
from worksmith.tools.serving.application import LOOPBACK, Application, is_loopback
from worksmith.tools.serving.bodies import json_body, replayed
from worksmith.tools.serving.refusals import RequestError

PATH = "/mcp"
LONGEST_BODY = 4 << 20
"""Bytes of a message."""

MOST_SESSIONS = 256
"""Sessions at a time."""

_VERSION_HEADER = "mcp-protocol-version"


class ToolsApp(Application):
    """MCP over one suite.

    Args:
        open: opens the episode of a new session.
        token: that clients show.
        host: that the server listens on.
        idle: seconds after which a session without requests ends.
    """

    def __init__(self, open: Open, token: str, *, host: str, idle: float) -> None:
        super().__init__(host, threads=8, longest_body=LONGEST_BODY)
        self._open, self._token, self._idle = open, token, idle
        self._sessions: dict[str, _Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        names = [f"[{name}]" if ":" in name else name for name in dict.fromkeys([*LOOPBACK, host])]
        self._origins = TransportSecurityMiddleware(
            TransportSecuritySettings(
                enable_dns_rebinding_protection=is_loopback(host),
                allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
                allowed_origins=[f"{kind}://{name}:*" for kind in ("http", "https") for name in names],
            )
        )

    async def answer(self, http: Request) -> Response:
        self.check_token(http, self._token)
        if http.scope["path"].rstrip("/") != PATH:
            raise RequestError(404, "unknown_url", f"Unknown address; MCP is at {PATH}")
        refused = await self._origins.validate_request(http, is_post=http.method == "POST")
        if refused is not None:
            return refused
        if http.method not in ("POST", "DELETE"):
            raise RequestError(405, "method_not_allowed", "Use POST, or DELETE to end a session")
        body = await self.body(http)
        message = _message(body) if http.method == "POST" else None
        request = str(message.id) if isinstance(message, types.JSONRPCRequest) else None
        session = await self._session(http, message)
        if request in session.in_flight:
            raise RequestError(400, "invalid_request", "A request with this id is being answered")
        session.touch()
        if message is None:
            self._sessions.pop(session.id, None)
            await self.in_thread(session.episode.close)
        return _Answered(session, body, request)

    def refusal(self, error: RequestError) -> Response:
        said = types.ErrorData(code=_CODES.get(error.code, types.INVALID_REQUEST), message=error.message)
        if isinstance(error, _UnknownVersionError):
            said.data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": error.version}
        text = types.JSONRPCError(jsonrpc="2.0", id=None, error=said).model_dump_json(exclude_unset=True)
        return Response(text, error.status, media_type="application/json")

    def close(self) -> None:
        for session in list(self._sessions.values()):
            session.episode.close()
        super().close()

    async def _session(self, http: Request, message: types.JSONRPCMessage | None) -> _Session:
        named = http.headers.get(MCP_SESSION_ID_HEADER)
        if named is None:
            return await self._begun(http, message)
        if named not in self._sessions:
            raise RequestError(404, "session_not_found", "The session is unknown")
        return self._sessions[named]

    async def _begun(self, http: Request, message: types.JSONRPCMessage | None) -> _Session:
        version = http.headers.get(_VERSION_HEADER)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise _UnknownVersionError(version)
        if not isinstance(message, types.JSONRPCRequest) or message.method != "initialize":
            raise RequestError(400, "no_session", "A session begins with initialize")
        try:
            types.InitializeRequestParams.model_validate(message.params or {}, by_name=False)
        except ValidationError:
            raise RequestError(400, "invalid_params", "The parameters of initialize are wrong") from None
        if len(self._sessions) >= MOST_SESSIONS:
            raise RequestError(503, "too_many_sessions", "There are too many sessions; try again later")
        try:
            session = _Session(await self.in_thread(self._open), self._idle)
        except InputError as error:
            raise RequestError(409, "no_episode", str(error)) from None
        self._sessions[session.id] = session
        task = asyncio.get_running_loop().create_task(self._serve(session))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await session.connected.wait()
        return session

    async def _serve(self, session: _Session) -> None:
        try:
            await session.run()
        except Exception:
            traceback.print_exc()
        finally:
            self._sessions.pop(session.id, None)
            await session.transport.terminate()
            await self.in_thread(session.episode.close)


class _Session:
    """One client.

    Attributes:
        connected: set when messages can be passed on.
        in_flight: ids of the requests that are being answered.
    """

    def __init__(self, episode: ClientEpisode, idle: float) -> None:
        self.id = uuid4().hex
        self.episode = episode
        self.transport = StreamableHTTPServerTransport(self.id, is_json_response_enabled=True)
        self.connected = asyncio.Event()
        self.in_flight: set[str] = set()
        self._idle, self._alive = idle, anyio.CancelScope()

    async def run(self) -> None:
        """Answer until the client ends the session, or is silent for too long."""
        episode = self.episode
        server = tool_server(episode, instructions=episode.instructions, prompt=episode.prompt)
        async with self.transport.connect() as streams:
            self.touch()
            self.connected.set()
            with self._alive:
                await server.run(*streams, server.create_initialization_options())

    def touch(self) -> None:
        self._alive.deadline = anyio.current_time() + self._idle


class _Answered(Response):
    """The session's own answer to a request whose body has been read."""

    def __init__(self, session: _Session, body: bytes, request: str | None) -> None:
        super().__init__()
        self._session, self._body, self._request = session, body, request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = self._session
        if self._request is not None:
            session.in_flight.add(self._request)
        try:
            await session.transport.handle_request(scope, replayed(self._body, receive), send)
        finally:
            session.in_flight.discard(self._request or "")


class _UnknownVersionError(RequestError):
    """A client that speaks a version of the protocol which has no sessions."""

    def __init__(self, version: str) -> None:
        message = "This server speaks versions of MCP that have sessions"
        super().__init__(400, "unsupported_protocol_version", message)
        self.version = version


_CODES = {
    "invalid_json": types.PARSE_ERROR,
    "invalid_params": types.INVALID_PARAMS,
    "unsupported_protocol_version": types.UNSUPPORTED_PROTOCOL_VERSION,
}
"""Codes of JSON-RPC that are more specific than an invalid request."""


def _message(body: bytes) -> types.JSONRPCMessage:
    data = json_body(body)
    try:
        message = types.jsonrpc_message_adapter.validate_python(data, by_name=False)
    except ValidationError:
        raise RequestError(400, "invalid_request", "The body is not a message of JSON-RPC") from None
    if isinstance(message, types.JSONRPCNotification) and "id" in data:
        raise RequestError(400, "invalid_request", "The id is neither a text nor a whole number")
    return message
