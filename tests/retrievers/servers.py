"""Chroma servers for tests: one of its own process, and a gateway before it that asks for a token."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.support.servers import serving
from worksmith.retrievers.reaching import connect

TOKEN = "token-of-tests"


def chroma_command(folder: str, host: str, port: int) -> list[str]:
    """The command of a server; that of `examples/compose.yaml` is the same."""
    return ["chroma", "run", "--path", folder, "--host", host, "--port", str(port)]


@contextmanager
def chroma_server(folder: Path, port: int) -> Iterator[str]:
    """The address of a server whose data is in `folder`."""
    command = chroma_command(str(folder), "127.0.0.1", port)
    program = str(Path(sys.executable).with_name(command[0]))
    process = subprocess.Popen([program, *command[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def gateway(server: str) -> Iterator[str]:
    """The address of a gateway, as stands before a server on a network: `chroma run` knows no users."""
    host = urlsplit(server).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, kind, answer = 401, "application/json", b'{"error":"Unauthorized","message":"no token"}'
            if self.headers.get("X-Chroma-Token") == TOKEN:
                connection = http.client.HTTPConnection(host)
                passed = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                connection.request(self.command, self.path, body, passed)
                found = connection.getresponse()
                status, kind, answer = found.status, found.headers.get_content_type(), found.read()
                connection.close()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    for method in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._pass)
    passing = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with serving(passing) as address:
        yield address


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            connect("127.0.0.1", port)
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the Chroma server does not answer")
