"""A CRM world on a socket, until it is stopped."""

from __future__ import annotations

import ipaddress
import signal
import socket
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tools.errors import InputError
from tools.kinds.crm.rest.app import LONGEST_ADDRESS, Api, App
from tools.kinds.crm.rest.connections import MOST, Connection
from tools.kinds.crm.rest.login import Sessions
from tools.kinds.crm.rest.messages import Serving
from tools.kinds.crm.rest.store import OrgStore

_DAYS = 30
_SKEW = timedelta(hours=1)


def write_certificate(certificate: Path, key: Path, hosts: Sequence[str]) -> None:
    """Write a certificate that vouches for itself, and its key, which only the owner may read.

    A client trusts the server by naming the certificate as its bundle of authorities
    (`REQUESTS_CA_BUNDLE`). It is good for a month.

    Args:
        hosts: names and IP addresses that it is for.
    """
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "worksmith serve")])
    public = private.public_key()
    now = datetime.now(UTC)
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False)
        .sign(private, hashes.SHA256())
    )
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key.touch(mode=0o600)
    key.write_bytes(secret)
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


LOOPBACK = ("localhost", "127.0.0.1", "::1")
THREADS = 4
"""Requests that are answered at the same time; each has a copy of the world."""

_GRACE = 5
"""Seconds that requests get to end in when the server is stopped."""


@dataclass(frozen=True)
class Listening:
    """Where a server is to be found. `certificate`: of the server; None where it speaks plain HTTP."""

    url: str
    certificate: Path | None


class _Uvicorn(uvicorn.Server):
    """Ends when it is told to, and leaves it at that: the caller has a world to save."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            # A client that keeps its connection for later would not answer TLS's goodbye until then.
            if isinstance(connection, Connection) and not connection.busy:
                connection.transport.abort()
        await super().shutdown(sockets)


class OrgServer:
    """One server.

    Args:
        host: address or name to listen on.
        port: 0 for any that is free.
        secure: whether to speak HTTPS, with a certificate made for the occasion.
    """

    def __init__(
        self,
        store: OrgStore,
        serving: Serving,
        token: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        secure: bool = True,
    ) -> None:
        self._sessions = Sessions(token)
        self._api = Api(store, serving)
        self._host = host
        self._port = port
        self._secure = secure
        self._uvicorn: _Uvicorn | None = None

    @contextmanager
    def listening(self) -> Iterator[Listening]:
        """Listen; clients can connect from here on, and are answered once `run` runs.

        Raises:
            InputError: the host or port cannot be listened on.
        """
        with _bound(self._host, self._port) as sock, tempfile.TemporaryDirectory() as folder:
            files = self._certificate(Path(folder)) if self._secure else (None, None)
            scheme = "https" if self._secure else "http"
            shown = f"[{self._host}]" if ":" in self._host else self._host
            hosts = {*LOOPBACK, self._host.lower()} if is_loopback(self._host) else ()
            app = App(self._api, self._sessions, hosts=hosts, secure=self._secure, threads=THREADS)
            self._uvicorn = _Uvicorn(_config(app, *files))
            self._uvicorn.config.load()
            if files[1]:
                files[1].unlink()  # it has been read, and nobody else need
            self._sock = sock
            try:
                yield Listening(f"{scheme}://{shown}:{sock.getsockname()[1]}", files[0])
            finally:
                app.close()

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


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"cannot listen on {host}: {error}", where="--host") from error
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(address)
            sock.listen()
        except OSError as error:
            hint = "--port 0 takes a free one"
            raise InputError(f"cannot listen on {host}:{port}: {error}", where="--port", hint=hint) from error
        yield sock


def _config(app: App, certificate: Path | None, key: Path | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST + 1,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=LONGEST_ADDRESS + (16 << 10),
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
