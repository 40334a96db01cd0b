"""The event loop of all asynchronous programs and agents: one for the process, so that they share clients."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

Result = TypeVar("Result")


def called(program: Any, /, **inputs: Any) -> Any:
    """The result of a program, which may have `aforward` alone or an asynchronous `forward`."""
    kind = type(program)
    asynchronous = hasattr(kind, "aforward") and not hasattr(kind, "forward")
    made = program.acall(**inputs) if asynchronous else program(**inputs)
    return awaited(made) if inspect.isawaitable(made) else made


def awaited(work: Awaitable[Result]) -> Result:
    """The result of an awaitable, which runs in the shared loop under the caller's context variables.

    Raises:
        RuntimeError: the caller runs in the shared loop itself, and would wait for itself.
    """

    async def body() -> Result:
        return await work

    with _ONE:  # threads that come first at the same time would each make one
        loop = _loop()
    if threading.current_thread().name == _NAME:
        raise RuntimeError("an asynchronous agent cannot wait for another one: await it instead")
    return asyncio.run_coroutine_threadsafe(body(), loop).result()


_NAME = "worksmith-agents"
_ONE = threading.Lock()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=_run, args=(loop,), daemon=True, name=_NAME).start()
    return loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop on, even after an agent that exits or stops it."""
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()
