"""Keeping DSPy quiet about its own work."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """A block without DSPy's warnings about its own work; its progress is for people at a terminal."""
    logger = logging.getLogger("dspy")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(sys.stderr if sys.stderr.isatty() else nowhere),
        ):
            yield
    finally:
        logger.setLevel(before)
