"""Responses of providers in the shapes of their public documentation, and a server that replays them.

A file of `fixtures/` holds one API: settings of a model that speaks it, the path of its requests, the headers
of all responses, and by name the responses: status, further headers, body, and the expected reading.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import dspy

from benchmarks.support.servers import serving
from worksmith.models.named import read_models, use_models
from worksmith.models.resolve import resolve

FOLDER = Path(__file__).parent / "fixtures"

Kind = Literal["replies", "errors"]


@cache
def fixture(api: str) -> dict[str, Any]:
    """The file of an API."""
    data: dict[str, Any] = json.loads((FOLDER / f"{api}.json").read_text(encoding="utf-8"))
    return data


def apis() -> tuple[str, ...]:
    """The names of all files."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.json")))


@dataclass(frozen=True)
class Case:
    """A response."""

    api: str
    kind: Kind
    name: str

    @property
    def response(self) -> Mapping[str, Any]:
        found: dict[str, Any] = fixture(self.api)[self.kind][self.name]
        return found

    @property
    def expected(self) -> Mapping[str, Any]:
        found: dict[str, Any] = self.response["expect"]
        return found


def cases(kind: Kind) -> list[Case]:
    """All responses of a kind."""
    return [Case(api, kind, name) for api in apis() for name in fixture(api)[kind]]


class ProviderServer:
    """Attributes:
    url: of the server, without a path.
    case: the response to every request.
    paths, bodies, headers: of the requests to the model that was opened last, headers by names with small
        letters.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.case: Case | None = None
        self._opened = 0
        self.paths: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    def open(self, case: Case, **settings: Any) -> dspy.LM:
        """A named model whose requests `case` answers; STUDENT holds its key, and None unsets a setting.

        Each has an address of its own, so that no wait that one was asked for holds up the next.
        """
        self._opened += 1
        self.case = case
        self.paths, self.bodies, self.headers = [], [], []
        api = fixture(case.api)
        own = {**api["model"], "api_base": self.root + api["base"], "num_retries": 0, **settings}
        if case.api != "bedrock":  # its credentials are Amazon's
            own["api_key_env"] = "STUDENT"
        own = {name: value for name, value in own.items() if value is not None}
        use_models(read_models({"student": own}, where="worksmith.toml"))
        return resolve("student")

    @property
    def root(self) -> str:
        """The address of the model that was opened last, up to the path of the API."""
        return f"{self.url}/{self._opened}"


@contextmanager
def provider_server(tls: ssl.SSLContext | None = None) -> Iterator[ProviderServer]:
    """A server that runs for as long as the block does.

    Args:
        tls: for HTTPS.
    """
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    if tls is not None:
        http.socket = tls.wrap_socket(http.socket, server_side=True)
    address = f"{'https' if tls else 'http'}://127.0.0.1:{http.server_address[1]}"
    server = http.provider = ProviderServer(address)  # type: ignore[attr-defined]
    with serving(http):
        yield server


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: ProviderServer = self.server.provider  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.paths.append(self.path.removeprefix(server.root.removeprefix(server.url)))
        server.bodies.append(body)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        assert server.case is not None
        response = server.case.response
        said = response["body"]
        content = (said if isinstance(said, str) else json.dumps(said)).encode()
        self.send_response(response["status"])
        headers = {**fixture(server.case.api)["headers"], **response.get("headers", {})}
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
