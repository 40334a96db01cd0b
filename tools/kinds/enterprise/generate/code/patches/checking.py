"""Does a patch mend the code? Decided by applying it and running the tests, never by likeness."""

from __future__ import annotations

import ast
import json
import re
import signal
import subprocess
import sys
import tempfile
from functools import cache
from os import killpg
from typing import Any

from tools.files.data_files import read_text
from tools.kinds.enterprise.generate.code.patches.diffs import DiffError, apply_diff

SECONDS = 2
BYTES = 512 * 1024 * 1024
_LARGEST_TEXT = 200_000
_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_HUNK = re.compile(r"^@@", re.MULTILINE)


def patch_passes(code: str, change: str, tests: str, *, seconds: int = SECONDS) -> bool:
    """Whether `code` passes all `tests` after `change`.

    The code runs in a process of its own: isolated interpreter, limits on time, memory and output, no files
    but the standard library's, no processes, no sockets. That process hears the calls but not the values they
    should return; these are compared here, so that code cannot report a success it has not had. It guards
    against blunders and cheap tricks of a model, it is no prison for an attacker.

    Args:
        code: the text of the file before the change.
        change: a unified diff, or the whole new text of the file; a Markdown fence around it is taken off.
        tests: test functions made of `assert call == literal`.
        seconds: how long all tests together may take.

    Returns:
        False also for a diff that does not apply, code that does not compile, runs too long, or ends early.

    Raises:
        ValueError: if `tests` hold no such assertion.
    """
    wanted = expectations(tests)
    if max(len(code), len(change)) > _LARGEST_TEXT:
        return False
    try:
        changed = _changed(code, change)
    except DiffError:
        return False
    found = call_results(changed, [call for call, _ in wanted], seconds)
    return found is not None and all(
        _same(outcome, value) for outcome, (_, value) in zip(found, wanted, strict=True)
    )


def expectations(tests: str) -> list[tuple[str, Any]]:
    """The calls that `tests` make and the value that each must give.

    Raises:
        ValueError: if there are none, or an assertion has another form.
    """
    found = []
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.Assert):
            test = node.test
            if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.Is):
                raise ValueError(f"not of the form call == value: {ast.unparse(node)}")
            found.append((ast.unparse(test.left), ast.literal_eval(test.comparators[0])))
    if not found:
        raise ValueError("the tests assert nothing")
    return found


def call_results(code: str, calls: list[str], seconds: int = SECONDS) -> list[dict[str, str]] | None:
    """For each call {"value": its repr} or {"error": type of exception}; None if the code does not run."""
    job = json.dumps({"code": code, "calls": calls, "seconds": seconds, "bytes": BYTES})
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-c", _child()],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        try:
            process.communicate(job.encode(), timeout=seconds + 1)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)
        output.seek(0)
        return _read(output.read(), len(calls)) if process.returncode == 0 else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the process and its children."""
    if process.poll() is None:
        killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(written: bytes, count: int) -> list[dict[str, str]] | None:
    try:
        found = json.loads(written)
    except ValueError:
        return None
    whole = isinstance(found, list) and len(found) == count and all(isinstance(one, dict) for one in found)
    return found if whole else None


def _changed(code: str, change: str) -> str:
    fenced = _FENCE.match(change)
    change = fenced[1] if fenced else change
    return apply_diff(code, change) if _HUNK.search(change) else change


def _same(outcome: dict[str, str], wanted: Any) -> bool:
    try:
        value = ast.literal_eval(str(outcome["value"]))
    except (KeyError, ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


@cache
def _child() -> str:
    return read_text(__package__, "child.txt")
