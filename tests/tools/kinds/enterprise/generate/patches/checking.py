"""Patches: their differences applied, and the tests that decide whether they mend the code."""

from __future__ import annotations

import ast
import json
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from os import killpg
from typing import Any

from tools.files.data_files import read_text

_HEADER = re.compile(r"^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)?)?.*$")


class DiffError(ValueError):
    """A diff that cannot be read, or that does not fit the text it is for."""


@dataclass(frozen=True)
class _Hunk:
    line: int | None
    old: list[str]
    new: list[str]


def apply_diff(text: str, diff: str) -> str:
    """`text` after `diff`.

    The lines that a hunk keeps or removes must stand in `text` exactly. Its line number is a hint only: among
    several places that fit, the nearest counts. Line counts in headers are not looked at, as models often
    miscount and the lines themselves leave no doubt.

    Raises:
        DiffError: if there is no hunk, more than one file, or a hunk that fits nowhere.
    """
    lines = text.splitlines()
    moved = 0
    done = 0
    for hunk in _hunks(diff):
        at = _place(lines, hunk, moved, done)
        lines[at : at + len(hunk.old)] = hunk.new
        done = at + len(hunk.new)
        moved += len(hunk.new) - len(hunk.old)
    return "".join(f"{line}\n" for line in lines)


def _hunks(diff: str) -> list[_Hunk]:
    lines = diff.strip("\n").splitlines()
    # An added line "++ x" looks like the head of a file, too, but no hunk begins right after it.
    heads = pairwise(lines)
    if sum(line.startswith("+++ ") and below.startswith("@@") for line, below in heads) > 1:
        raise DiffError("the diff changes more than one file")
    hunks: list[_Hunk] = []
    for line in lines:
        header = _HEADER.match(line)
        if header:
            hunks.append(_Hunk(int(header[1]) if header[1] else None, [], []))
        elif hunks and not line.startswith("\\"):
            _add(hunks[-1], line)
    if not hunks:
        raise DiffError("there is no hunk (a line that begins with @@)")
    return hunks


def _add(hunk: _Hunk, line: str) -> None:
    mark, content = (line[0], line[1:]) if line else (" ", "")
    if mark not in " +-":
        raise DiffError(f"a line of a hunk begins with {mark!r}")
    if mark != "+":
        hunk.old.append(content)
    if mark != "-":
        hunk.new.append(content)


def _place(lines: list[str], hunk: _Hunk, moved: int, done: int) -> int:
    """Where the hunk fits, not before what earlier hunks changed."""
    size = len(hunk.old)
    if not size:
        if hunk.line is None or not done <= hunk.line + moved <= len(lines):
            raise DiffError("a hunk without context says not where it belongs")
        return hunk.line + moved
    fitting = [at for at in range(done, len(lines) - size + 1) if lines[at : at + size] == hunk.old]
    if not fitting:
        raise DiffError(f"a hunk does not fit: {hunk.old[0]!r} and what follows is not in the file")
    if hunk.line is None:
        if len(fitting) > 1:
            raise DiffError("a hunk without line numbers fits in several places")
        return fitting[0]
    wanted = hunk.line - 1 + moved
    return min(fitting, key=lambda at: abs(at - wanted))


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
