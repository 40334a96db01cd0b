"""Serving a program until a signal, in one process or several."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING

from prometheus_client.multiprocess import mark_process_dead

from worksmith.serving.programs.metrics import SHARED
from worksmith.serving.programs.opening import opened_app, server_budget, tokens_of
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.serving.application import is_loopback
from worksmith.tools.serving.server import Server, listening_socket, shown

if TYPE_CHECKING:
    from worksmith.serving.programs.settings import ServeProgramSettings

_CONNECTIONS = 1024
_KEEP_ALIVE = 75
_M_ARENA_MAX = -8
"""Of `mallopt` in glibc's malloc.h."""
_LOOK = 0.2
"""Seconds between two looks at the processes."""
_YOUNG = 60.0
"""Seconds; a process that ends with an error within them would end so again."""
_AFTER_GRACE = 15.0
"""Seconds after the grace in which a process writes its last traces."""


def serve(settings: ServeProgramSettings, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        announce: called with the server's address.
    """
    if not is_loopback(settings.host) and not settings.behind_proxy:
        raise InputError(
            f"other machines could reach {settings.host} in plain HTTP",
            where="--host",
            hint="--behind-proxy states that a proxy in front speaks TLS",
        )
    if settings.workers > 1:
        _serve_in_processes(settings, announce)
        return
    _serve_here(settings, None, announce)


def _serve_here(
    settings: ServeProgramSettings, at: socket.socket | None, announce: Callable[[str], None]
) -> None:
    _share_heaps()
    with opened_app(settings) as app:
        server = Server(
            app,
            host=settings.host,
            port=settings.port,
            secure=False,
            connections=_CONNECTIONS,
            keep_alive=_KEEP_ALIVE,
            grace=settings.grace,
        )
        with server.listening(at) as where:
            announce(where.url)
            server.run()


def _share_heaps() -> None:
    """Let threads allocate from two heaps, where the C library is glibc.

    It gives each thread its own heap, up to eight a core, and none of them shrinks: memory grew for as
    long as tasks came.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _serve_in_processes(settings: ServeProgramSettings, announce: Callable[[str], None]) -> None:
    # A fault here is reported once, and not by each process.
    tokens_of(settings)
    server_budget(settings)
    with ExitStack() as stack:
        sock = stack.enter_context(listening_socket(settings.host, settings.port))
        # The variable must be set before the processes load the library.
        os.environ[SHARED] = stack.enter_context(tempfile.TemporaryDirectory())
        processes = Processes(settings, sock)
        announce(f"http://{shown(settings.host)}:{sock.getsockname()[1]}")
        processes.run()


class Processes:
    """Processes that answer at one socket. One that dies is replaced."""

    def __init__(self, settings: ServeProgramSettings, sock: socket.socket) -> None:
        self._settings, self._sock = settings, sock
        self._spawning = multiprocessing.get_context("spawn")
        self._stopped = False
        self._running: list[tuple[BaseProcess, float]] = []

    def run(self) -> None:
        """Keep them running until SIGINT or SIGTERM.

        Raises:
            InputError: they cannot start; they have reported the reason.
        """
        before = {each: signal.signal(each, self._stop) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._running = [self._started() for _ in range(self._settings.workers)]
            while not self._stopped:
                time.sleep(_LOOK)
                self._running = [self._alive(process, since) for process, since in self._running]
        finally:
            self._end()
            for each, handler in before.items():
                signal.signal(each, handler)

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _started(self) -> tuple[BaseProcess, float]:
        process = self._spawning.Process(target=_work, args=(self._settings, self._sock, os.getpid()))
        process.start()
        return process, time.monotonic()

    def _alive(self, process: BaseProcess, since: float) -> tuple[BaseProcess, float]:
        if process.is_alive() or self._stopped:
            return process, since
        if process.pid is not None:
            mark_process_dead(process.pid)  # type: ignore[no-untyped-call]
        if process.exitcode and process.exitcode > 0 and time.monotonic() - since < _YOUNG:
            raise InputError("a process of the server could not start", hint="the reason stands above")
        return self._started()

    def _end(self) -> None:
        for process, _ in self._running:
            if process.is_alive():
                process.terminate()
        deadline = time.monotonic() + self._settings.grace + _AFTER_GRACE
        for process, _ in self._running:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def _work(settings: ServeProgramSettings, sock: socket.socket, parent: int) -> None:
    """The work of each process."""
    # Ctrl-C reaches all processes of a terminal; the parent ends them in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        _serve_here(settings, sock, lambda _: None)
    except WorksmithError as error:
        print(f"worksmith: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)


def _end_with(parent: int) -> None:
    """End this process in order when the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
