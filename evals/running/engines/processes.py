"""Worker processes on this machine, by the standard library."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from worksmith.evals.running.engines.messages import FromWorker, ToWorker, packed, unpacked
from worksmith.evals.running.engines.worker_pool import WorkerPool
from worksmith.tools.errors import InputError

# With the driver's path, because the folder may have modules with names of worksmith's.
# Ctrl-C reaches the whole group; the driver decides what becomes of episodes in flight.
_COMMAND = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[2:]; "
    "from worksmith.evals.running.engines.processes import work; work()"
)


def processes(count: int) -> WorkerPool:
    """An engine of `count` processes.

    Raises:
        InputError: this system cannot start them.
    """
    if os.name != "posix":
        raise InputError("this system has no inherited pipes", where="--processes", hint="use --engine ray")
    return WorkerPool(_Process, count)


class _Process:
    """A worker process; it ends when this process does, for its connection ends then.

    It does not import the main module, as `multiprocessing` would: a script needs no guard.
    """

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        with theirs:
            file = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _COMMAND, str(file), *map(str, sys.path)],
                pass_fds=[file],
                stdin=subprocess.DEVNULL,
            )
        self._sending = threading.Lock()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: ToWorker) -> None:
        _send(self._connection, self._sending, message)

    def receive(self) -> Any:
        try:
            return unpacked(self._connection.recv_bytes())
        except OSError as error:
            raise EOFError from error

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def work() -> None:
    """Work for the process that has started this one, until that ends the connection."""
    with Connection(int(sys.argv[1])) as connection, suppress(EOFError, OSError):
        from worksmith.evals.running.engines.worker import Worker
        from worksmith.tools.sqlite.sandbox import keep_one_sandbox

        keep_one_sandbox()

        sending = threading.Lock()

        def send(message: FromWorker) -> None:
            _send(connection, sending, message)

        worker = Worker(send)
        while True:
            worker.take(unpacked(connection.recv_bytes()))
    # Threads of episodes may still wait for the driver.
    os._exit(0)


def _send(connection: Connection, sending: threading.Lock, message: ToWorker | FromWorker) -> None:
    """Send a message; what has ended at the other side is noticed by who receives."""
    data = packed(message)
    with sending, suppress(OSError):
        connection.send_bytes(data)
