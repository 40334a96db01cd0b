"""The event loop that all asynchronous agents share."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec, module_from_spec

import pytest


def test_threads_that_come_first_at_the_same_time_share_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec("worksmith.evals.dspy_programs.event_loop")
    assert spec is not None
    assert spec.loader is not None
    fresh = module_from_spec(spec)  # as in a process in which no agent has run
    spec.loader.exec_module(fresh)
    slowly, together = asyncio.new_event_loop, threading.Barrier(8)

    def new_event_loop() -> asyncio.AbstractEventLoop:
        time.sleep(0.05)
        return slowly()

    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def ask(_: int) -> asyncio.AbstractEventLoop:
        together.wait()
        found: asyncio.AbstractEventLoop = fresh.awaited(loop())
        return found

    monkeypatch.setattr(asyncio, "new_event_loop", new_event_loop)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
