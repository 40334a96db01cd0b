"""Whoever says nothing keeps nobody else out."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.tables import each_row
from tests.tools.kinds.crm.rest.running import TOKEN, Served, served
from worksmith.tools.serving.connections import Connection
from worksmith.tools.world import World

DATA = "/services/data/v59.0"
MOST = 64
"""Connections at a time."""
HEAD = b"GET /services/data HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "


@contextlib.contextmanager
def connected(org: Served, count: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections that say this, and then nothing."""
    address = urlsplit(org.url)
    with contextlib.ExitStack() as stack:
        sockets = []
        for _ in range(count):
            made = socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=20)
            sockets.append(stack.enter_context(made))
            if said:
                made.sendall(said)
        yield sockets


def is_closed(connection: socket.socket) -> bool:
    """Whether the server hangs up before the client's own time is over."""
    try:
        while connection.recv(4_096):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.fixture(scope="module", params=[True, False], ids=["tls", "plain"])
def org(world: World, request: pytest.FixtureRequest) -> Iterator[Served]:
    with served(world, secure=request.param) as running:
        yield running


LOGIN = b"POST /services/Soap/u/59.0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n<"


@each_row("said", [b"", b"GET /serv", HEAD, LOGIN])
def test_silent_connections_keep_nobody_out(org: Served, said: bytes) -> None:
    with connected(org, 70, said):
        for _ in range(3):
            assert org.get(f"{DATA}/limits").status_code == 200


def test_a_client_that_was_let_in_keeps_its_connection(world: World) -> None:
    with (
        served(world, secure=False) as org,
        connected(org, 1, HEAD + TOKEN.encode() + b"\r\n\r\n") as [client],
    ):
        assert b"200 OK" in client.recv(4_096)
        with connected(org, MOST + 20) as silent:
            assert org.get(f"{DATA}/limits").status_code == 200
            assert is_closed(silent[0])
            client.sendall(HEAD + TOKEN.encode() + b"\r\n\r\n")
            assert b"200 OK" in client.recv(4_096)


@pytest.mark.parametrize("said", [b"", b"GET /serv", HEAD])
def test_a_request_has_to_come_in_time(world: World, said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "patience", 0.2)
    with served(world, secure=False) as org, connected(org, 1, said) as [client]:
        assert is_closed(client)


def test_nor_may_its_head_come_letter_by_letter(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "patience", 0.3)

    def dribble(client: socket.socket) -> None:
        for letter in HEAD * 20:
            client.sendall(bytes([letter]))
            time.sleep(0.01)

    with served(world, secure=False) as org, connected(org, 1) as [client], pytest.raises(ConnectionError):
        dribble(client)


def test_nobody_who_was_not_let_in_keeps_a_connection(world: World) -> None:
    with served(world, secure=False) as org, connected(org, 1, HEAD + b"wrong\r\n\r\n") as [client]:
        assert is_closed(client)
