"""A server that answers what a test tells it to, over real HTTPS: what a healthy one never says."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.support.servers import serving
from worksmith.tools.serving.certificates import write_certificate


@dataclass
class Script:
    """What the server says, request by request; the last answer is repeated.

    Attributes:
        answers: status and body; a body that is bytes is sent as it is, status 0 hangs up.
        asked: method and path of each request.
    """

    answers: list[tuple[int, Any]]
    url: str = ""
    certificate: Path = Path()
    asked: list[str] = field(default_factory=list)

    def next(self) -> tuple[int, Any]:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def failing(folder: Path, answers: list[tuple[int, Any]]) -> Iterator[Script]:
    """Such a server for the duration of the block."""
    script = Script(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            script.asked.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("content-length", 0)))
            status, body = script.next()
            if not status:
                self.close_connection = True
                return
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.certificate, key = folder / "certificate.pem", folder / "key.pem"
    write_certificate(script.certificate, key, ["127.0.0.1"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(script.certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    script.url = f"https://127.0.0.1:{server.server_address[1]}"
    with serving(server):
        yield script
