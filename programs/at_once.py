"""Many episodes in one event loop: each runs in a thread of its own, which mostly waits for a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

EPISODES_AT_ONCE: Final = 256
"""Episodes of one event loop; further ones wait for their turn without a thread."""

Result = TypeVar("Result")

_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def in_a_thread(work: Callable[[], Result]) -> Result:
    """The result of `work`, done in a thread under a copy of the caller's context variables.

    A thread cannot be stopped: work whose task is cancelled goes on to its end, but keeps nobody from leaving
    the program.
    """
    loop = asyncio.get_running_loop()
    turns = _TURNS.setdefault(loop, asyncio.Semaphore(EPISODES_AT_ONCE))
    await turns.acquire()
    done: asyncio.Future[Result] = loop.create_future()
    run = copy_context().run

    def settle(settle_with: Callable[[Any], None], value: Any) -> None:
        turns.release()
        if not done.done():
            settle_with(value)

    def body() -> None:
        settle_with: Callable[[Any], None] = done.set_result
        try:
            value: Any = run(work)
        except BaseException as error:  # handed to whoever awaits it
            settle_with, value = done.set_exception, error
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, settle_with, value)

    try:
        threading.Thread(target=body, daemon=True, name="worksmith-episode").start()
    except RuntimeError:  # the machine has no more threads
        turns.release()
        raise
    return await done
