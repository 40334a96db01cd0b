"""Threads for episodes in an event loop: one thread for each, so that many wait for a model at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

EPISODES_AT_ONCE: Final = 256
"""The most episodes in the threads of one event loop; further ones wait without a thread."""

Result = TypeVar("Result")

_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def in_a_thread(work: Callable[[], Result]) -> Result:
    """Run a function in a new thread, under a copy of the caller's context variables.

    A thread cannot be stopped: if the awaiting task is cancelled, `work` goes on to its end. It does not keep
    the process from exiting.

    Args:
        work: the function; it takes no argument.

    Returns:
        The result of `work`.

    Raises:
        BaseException: the error that `work` raised.
        RuntimeError: the machine has no more threads.
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
        except BaseException as error:  # raised in the awaiting task
            settle_with, value = done.set_exception, error
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, settle_with, value)

    try:
        threading.Thread(target=body, daemon=True, name="worksmith-episode").start()
    except RuntimeError:  # the machine has no more threads
        turns.release()
        raise
    return await done
