"""What takes seconds to make is made by one process of a test run, and kept for the others."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from filelock import FileLock

T = TypeVar("T")
Read = TypeVar("Read", bound=Callable[..., list[str]])

_NAME = "WORKSMITH_TESTS_FOLDER"
_afresh = False


def start() -> Path | None:
    """Make the folder of this test run, if no process above has made it; gives it to who made it."""
    if _NAME in os.environ:
        return None
    os.environ[_NAME] = tempfile.mkdtemp(prefix="made-by-tests-")
    return Path(os.environ[_NAME])


def shared(name: str) -> Path:
    """A path in the folder of this test run."""
    return Path(os.environ[_NAME]) / name


def made_once(name: str, make: Callable[[], T]) -> T:
    """What `make` gives, or what it gave to another process. Shared: tests do not change it."""
    file = shared(f"{name}.pickle")
    with FileLock(f"{file}.lock"):
        if not file.exists():
            made = make()
            file.write_bytes(pickle.dumps(made))
            return made
    found: T = pickle.loads(file.read_bytes())
    return found


def read_once(pages: Read) -> Read:
    """The same function; what it made of a document is kept by the document's content."""

    def kept(source: Path | str | bytes) -> list[str]:
        if _afresh or not isinstance(source, bytes):
            return pages(source)
        return made_once(f"pages-{hashlib.sha256(source).hexdigest()}", lambda: pages(source))

    return cast(Read, kept)


@contextmanager
def afresh() -> Iterator[None]:
    """Read documents again, for those who measure it."""
    global _afresh
    _afresh = True
    try:
        yield
    finally:
        _afresh = False
