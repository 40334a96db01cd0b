"""Exceptions that leave a part of the user's: a metric, a scorer, a program; and the place in its code."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Self

from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.secrets import described

_LONGEST = 300
"""Characters of an exception's message."""

FROM_MODEL = "_worksmith_from_model"
"""The attribute of an exception that left a model's client or engine."""

_LIBRARIES = tuple(
    {os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")}
)


class UserCodeError(WorksmithError):
    """An exception that left a part of the user's.

    Attributes:
        scores: that others gave to the answer; the outcome is 0.
    """

    scores: Mapping[str, float] = {}

    @classmethod
    def of(cls, part: str, error: BaseException) -> Self:
        """The error with the part, the exception and its place."""
        return cls(f"{part} raised {placed(error)}")


def placed(error: BaseException) -> str:
    """An exception in one line, with the place of `place`; worksmith's have it in their text."""
    if isinstance(error, WorksmithError):
        return str(error)
    message = " ".join(described(error).split())[:_LONGEST].removesuffix(":")
    where = place(error)
    return f"{message} ({where})" if where else message


def place(error: BaseException) -> str:
    """File and line of the innermost frame of the user's code; empty without one."""
    own = [
        f"{Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if is_users(frame)
    ]
    return own[-1] if own else ""


def raised_by_user(error: BaseException) -> bool:
    """Whether the user's code made an exception itself, and no library, model or system reported it."""
    ours = hasattr(error, FROM_MODEL) or type(error).__module__.startswith("worksmith.")
    if ours or (isinstance(error, OSError) and error.errno is not None):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and is_users(frames[-1])


def is_users(frame: FrameType) -> bool:
    """Whether a frame is the user's: not of worksmith, Python or an installed library."""
    ours = str(frame.f_globals.get("__name__", "")).partition(".")[0] == "worksmith"
    return not (ours or _in_library(frame.f_code.co_filename))


@cache
def _in_library(file: str) -> bool:
    return file.startswith("<frozen ") or os.path.realpath(file).startswith(_LIBRARIES)
