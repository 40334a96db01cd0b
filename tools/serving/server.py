"""An application on a socket, until it is stopped."""

from __future__ import annotations

import signal
import socket
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from worksmith.tools.errors import InputError
from worksmith.tools.serving.application import LONGEST_ADDRESS, LOOPBACK, Application, is_loopback
from worksmith.tools.serving.certificates import write_certificate
from worksmith.tools.serving.connections import Connection


@dataclass(frozen=True)
class Listening:
    """The address of a server. `certificate`: of the server; None for plain HTTP."""

    url: str
    certificate: Path | None


def check_reach(host: str, *, allow_remote: bool, tls: bool) -> None:
    """Check that other machines reach a server only on purpose and over TLS."""
    if is_loopback(host):
        return
    if not allow_remote:
        raise InputError(
            f"other machines could reach {host}", where="--host", hint="--allow-remote lets them"
        )
    if not tls:
        hint = "without TLS the token would travel in the clear"
        raise InputError("other machines are served over TLS only", where="--tls", hint=hint)


class Server:
    """One server.

    Args:
        host: address or name to listen on.
        port: 0 for any that is free.
        secure: whether to speak HTTPS, with a certificate made for the occasion.
        connections: at a time.
        keep_alive: seconds that a connection may be silent between two requests.
        grace: seconds that requests get to end in when the server is stopped.
    """

    def __init__(
        self,
        app: Application,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        secure: bool = True,
        connections: int = 64,
        keep_alive: int = 30,
        grace: int = 5,
    ) -> None:
        self._app = app
        self._host = host
        self._port = port
        self._secure = secure
        self._connections = connections
        self._keep_alive = keep_alive
        self._grace = grace
        self._uvicorn: _Uvicorn | None = None

    @contextmanager
    def listening(self, at: socket.socket | None = None) -> Iterator[Listening]:
        """Listen; clients can connect from here on, and are answered once `run` runs.

        From here on also, a signal (SIGINT, SIGTERM) ends `run`, and nothing else.

        Args:
            at: a socket that listens, in place of one at the host and port.
        """
        bound = listening_socket(self._host, self._port) if at is None else nullcontext(at)
        with bound as sock, tempfile.TemporaryDirectory() as folder:
            files = self._certificate(Path(folder)) if self._secure else (None, None)
            scheme = "https" if self._secure else "http"
            self._uvicorn = _Uvicorn(self._config(*files))
            self._uvicorn.config.load()
            if files[1]:
                files[1].unlink()  # it has been read, and only this process needs it
            self._sock = sock
            try:
                with self._uvicorn.stopped_by_signals():
                    yield Listening(f"{scheme}://{shown(self._host)}:{sock.getsockname()[1]}", files[0])
            finally:
                self._app.close()

    def run(self) -> None:
        """Answer requests until a signal (SIGINT, SIGTERM) or `stop`."""
        assert self._uvicorn is not None
        self._uvicorn.run([self._sock])

    def stop(self) -> None:
        """Make `run` return soon; from any thread."""
        assert self._uvicorn is not None
        self._uvicorn.should_exit = True

    def _certificate(self, folder: Path) -> tuple[Path, Path]:
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        write_certificate(certificate, key, list(dict.fromkeys([*LOOPBACK, self._host])))
        return certificate, key

    def _config(self, certificate: Path | None, key: Path | None) -> uvicorn.Config:
        return uvicorn.Config(
            self._app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=self._connections + 1,
            timeout_keep_alive=self._keep_alive,
            timeout_graceful_shutdown=self._grace,
            h11_max_incomplete_event_size=LONGEST_ADDRESS + (16 << 10),
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )


class _Uvicorn(uvicorn.Server):
    """Ends on request without ending the process: the caller may need to save data."""

    @contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Called by uvicorn, too late for a signal that comes as soon as the address is known."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            # A client that keeps its connection for later would not answer TLS's goodbye until then.
            if isinstance(connection, Connection) and not connection.busy:
                connection.transport.abort()
        await super().shutdown(sockets)


def shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def listening_socket(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"cannot listen on {host}: {error}", where="--host") from error
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(address)
            sock.listen(256)
        except OSError as error:
            hint = "--port 0 takes a free one"
            raise InputError(f"cannot listen on {host}:{port}: {error}", where="--port", hint=hint) from error
        yield sock
