"""Workers as actors of a Ray cluster, which may have many machines.

Ray places, starts and ends the workers, and carries messages. It sends no statistics and starts no dashboard.
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import Any, Self

from worksmith.evals.running.engines.messages import ToWorker, packed, unpacked
from worksmith.evals.running.engines.store import SuiteStore
from worksmith.evals.running.engines.worker import Worker
from worksmith.evals.running.engines.worker_pool import ENDING, WorkerPool
from worksmith.tools.errors import InfrastructureError, InputError, needing
from worksmith.tools.sqlite.sandbox import keep_one_sandbox

_LOCAL = "local"

_MEMORY = 512 * 2**20
"""Bytes that a worker asks Ray for: the libraries and a world of common size."""

_OBJECTS = 100 * 2**20
"""Bytes of shared memory of a cluster on this machine; messages are small."""

_PATIENCE = 10.0
"""Seconds that a question for messages waits in a worker."""


class RayCluster(WorkerPool):
    """An engine of Ray's actors, each with one CPU.

    Args:
        workers: the number of actors; None takes one for each CPU of the cluster that is free.
        most: no more than these, where the number is not given.
        address: `ray://HOST:PORT`; None for the one of the variable RAY_ADDRESS, else for one on this
            machine that begins and ends here.
        store: see `WorkerPool`.

    Raises:
        InputError: Ray is not installed. On entry: the process has joined a cluster already and an address
            is given, or the cluster is too small.
    """

    def __init__(
        self,
        workers: int | None,
        *,
        most: int,
        address: str | None = None,
        store: SuiteStore | None = None,
    ) -> None:
        with needing("--engine ray", "ray"):
            import ray
        super().__init__(_Actor, workers or most, store)
        self._given = workers
        self._ray = ray
        self._address = address
        self._ours = False

    def __enter__(self) -> Self:
        if not self._ray.is_initialized():
            self._connect()
        elif self._address is not None:
            raise InputError(
                "this process has joined a Ray cluster already, and can join no other one",
                where=self._address,
                hint="leave the address out to use that cluster, or call ray.shutdown() first",
            )
        try:
            room = _room(self._ray.cluster_resources())
            if self._given is None:
                self._size = max(1, min(self._size, room, _room(self._ray.available_resources())))
            if self._size > room:
                raise InputError(
                    f"the Ray cluster has room for {room} workers, of one CPU and {_MEMORY >> 20} MB each",
                    where="--processes",
                    hint=f"{self._size} do not fit: give fewer, or join a larger cluster",
                )
            return super().__enter__()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        # Ray ends the process of a thread that calls it during or after its shutdown: no thread does then.
        try:
            super().close()
        except KeyboardInterrupt:  # another one
            super().close()
            raise
        finally:
            if self._ours:
                self._ours = False
                self._ray.shutdown()

    def _connect(self) -> None:
        address = self._address or os.environ.get("RAY_ADDRESS") or _LOCAL
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        # Milliseconds in which a node is to start; Ray's own are too few on a busy machine.
        os.environ.setdefault("RAY_agent_register_timeout_ms", "100000")
        # Ray's note that its rule for accelerators will change; nothing here depends on it.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        local: dict[str, Any] = {}
        if address == _LOCAL:
            count = self._given or min(self._size, os.cpu_count() or 1)
            local = {
                "num_cpus": count,
                "num_gpus": 0,
                "_memory": count * _MEMORY,
                "include_dashboard": False,
                "object_store_memory": _OBJECTS,
            }
        before = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(
                address,
                log_to_driver=False,
                logging_level=logging.ERROR,
                configure_logging=False,
                **local,
            )
        except Exception as error:  # Ray raises exceptions without a class of its own
            raise InfrastructureError(f"no Ray cluster at {address}: {error}") from error
        finally:  # Ray installs a handler there, which would skip the end of a run
            if before is not None and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, before)
        self._ours = True


def _room(resources: dict[str, float]) -> int:
    """The number of workers for which there are CPUs and memory."""
    return int(min(resources.get("CPU", 0), resources.get("memory", 0) // _MEMORY))


class _Worker:
    """The class of the actors.

    Args:
        path: of the driver's modules.
    """

    def __init__(self, path: list[str]) -> None:
        sys.path += [each for each in path if each not in sys.path]
        keep_one_sandbox()
        self._out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._worker = Worker(lambda message: self._out.put(packed(message)))

    def take(self, messages: list[bytes]) -> None:
        for message in messages:
            self._worker.take(unpacked(message))

    def told(self) -> list[bytes]:
        """All messages for the driver, as soon as there is one; empty after a while."""
        try:
            found = [self._out.get(timeout=_PATIENCE)]
        except queue.Empty:
            return []
        return found + [self._out.get() for _ in range(self._out.qsize())]


class _Actor:
    """A worker in the cluster, see `worker_pool.Link`. Messages go in batches: a call takes 1 ms."""

    def __init__(self) -> None:
        import ray

        self._ray = ray
        self._check_open()
        remote = ray.remote(
            num_cpus=1, memory=_MEMORY, max_restarts=0, max_concurrency=4, scheduling_strategy="SPREAD"
        )(_Worker)
        self.actor = remote.remote(sys.path)
        self._received: deque[bytes] = deque()
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._closed = False
        self._sender = threading.Thread(target=self._send, daemon=True, name="worksmith-to-ray")
        self._sender.start()

    def send(self, message: ToWorker) -> None:
        self._unsent.put(packed(message))

    def receive(self) -> Any:
        while not self._received:
            if self._closed:
                raise EOFError
            try:
                self._check_open()
                self._received.extend(self._ray.get(self.actor.told.remote()))
            except BaseException as error:  # Ray raises SystemExit where it is shut down
                self.close()
                raise EOFError from error
        return unpacked(self._received.popleft())

    def close(self) -> None:
        self._closed = True
        self._unsent.put(None)
        self._kill()
        self._sender.join(ENDING)

    def _send(self) -> None:
        """Send the waiting messages in one call, one call after the other, because their order counts."""
        while (message := self._unsent.get()) is not None:
            batch = [message]
            while not self._unsent.empty() and (more := self._unsent.get()) is not None:
                batch.append(more)
            try:
                self._check_open()
                self._ray.get(self.actor.take.remote(batch))
            except BaseException:
                self._kill()  # if it lives, it would wait for messages that are lost
                return

    def _kill(self) -> None:
        if self._ray.is_initialized():
            with suppress(Exception):  # it has ended, or the cluster cannot be reached
                self._ray.kill(self.actor)

    def _check_open(self) -> None:
        """Check that Ray has not been shut down: a call would start another cluster.

        Raises:
            InfrastructureError: it has.
        """
        if not self._ray.is_initialized():
            raise InfrastructureError("the Ray cluster has ended")
