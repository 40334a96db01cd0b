"""Connections to servers, tried for seconds."""

from __future__ import annotations

import socket
import threading

CONNECT, ANSWER = 4, 5
"""The longest waits in seconds for a connection to a server, and for the answer to a first request."""


def connect(host: str, port: int) -> None:
    """Open a connection and close it again.

    A thread tries, because a server of names may keep us waiting as well.

    Raises:
        OSError: it is unreachable for `CONNECT` seconds.
    """
    failed: list[OSError] = []

    def attempt() -> None:
        try:
            socket.create_connection((host, port), timeout=CONNECT).close()
        except OSError as error:
            failed.append(error)

    trying = threading.Thread(target=attempt, daemon=True)
    trying.start()
    trying.join(CONNECT)
    if failed or trying.is_alive():
        raise failed[0] if failed else TimeoutError("timed out")
