"""Running Python that nobody has read: a separate process with almost no rights.

The process reads its job and then asks the kernel for a filter (seccomp) that refuses all system calls but
those for memory, the clock, its end, and writing to one open file of at most a megabyte. So the code opens no
file, starts no process or thread, reaches no network and no other process. Further limits are on processor
time and memory. The filter cannot be lifted again, by any change of Python itself.

The filter needs Linux on x86-64 or ARM64. Where a process cannot lock itself, its code is not run.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from os import fstat, killpg
from typing import IO, Any

from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.data_files import read_text

SECONDS = 2
"""Of processor time, for all calls together."""

_BYTES = 512 * 1024 * 1024
_LARGEST_OUTPUT = 1024 * 1024
_START, _PATIENCE = 60, 5
"""Seconds of wall time to start a process, and for each second of processor time on a busy machine."""

_LOCKED = b"locked\n"
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
MODULES = frozenset(
    {
        "bisect", "calendar", "collections", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib",
        "enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "numbers",
        "operator", "random", "re", "statistics", "string", "textwrap", "time", "typing", "unicodedata",
    }
)  # fmt: skip
"""The modules that code may import; any other import fails as if the module did not exist."""

Result = dict[str, str]
"""{"value": JSON, see `plain_value`} or {"error": exception's name, empty for a value that is not plain}."""


class SandboxError(WorksmithError):
    """No safe process could be had: the fault of the machine, not of the code."""


def run_calls(code: str, calls: Sequence[str], seconds: int = SECONDS) -> list[Result] | None:
    """The results of expressions that call functions of a file.

    Args:
        code: the text of the file.
        seconds: of processor time.

    Returns:
        A result for each call; None if the code does not run to its end: it cannot be compiled, raises, takes
        too long or too much memory, or ends the process.

    Raises:
        SandboxError: the process could not be started, or not be locked.
    """
    job = {
        "code": code,
        "calls": list(calls),
        "modules": _modules(code),
        "limits": {
            "RLIMIT_CPU": seconds,
            "RLIMIT_AS": _BYTES,
            "RLIMIT_FSIZE": _LARGEST_OUTPUT,
            "RLIMIT_CORE": 0,
        },
    }
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        # No -I: it would ignore the seed of hashes, and the order of sets would differ from run to run.
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-S", "-B", "-c", _child()],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        try:
            _let_run(process, json.dumps(job).encode(), output, _PATIENCE * seconds)
        finally:
            _end(process)
        output.seek(0)
        written = output.read(_LARGEST_OUTPUT + 1)
    if not written.startswith(_LOCKED):
        raise SandboxError("no process could be locked to run code in: it needs Linux with seccomp")
    return _read(written[len(_LOCKED) :], len(calls)) if process.returncode == 0 else None


def _let_run(process: subprocess.Popen[bytes], job: bytes, output: IO[bytes], seconds: float) -> None:
    """Wait for the end of the process, `seconds` at most, or longer as long as it has not locked itself."""
    with suppress(subprocess.TimeoutExpired):
        process.communicate(job, timeout=seconds)
    if process.poll() is None and not fstat(output.fileno()).st_size:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_START)


def plain_value(text: str) -> Any:
    """The plain data in a result's JSON.

    Raises:
        ValueError: it is other JSON.
    """
    try:
        return _untagged(json.loads(text))
    except (TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError("no plain data") from error


def _untagged(found: Any) -> Any:
    if not isinstance(found, list):
        return found
    tag, *items = found
    if tag == "dict":
        return {_untagged(key): _untagged(value) for key, value in items}
    return {"list": list, "tuple": tuple, "set": set}[tag](map(_untagged, items))


def _modules(code: str) -> list[str]:
    """The modules that the code seems to import, of those it may. Nothing parses the code in this process."""
    named = {word for line in _IMPORT.findall(code) for word in _WORD.findall(line)}
    return sorted(named & MODULES) + (["_strptime"] if named & {"datetime", "time"} else [])


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(written: bytes, count: int) -> list[Result] | None:
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) != count:
        return None
    sound = all(isinstance(one, dict) and all(isinstance(v, str) for v in one.values()) for one in found)
    return found if sound else None


@cache
def _child() -> str:
    return read_text(__package__, "child.txt")
