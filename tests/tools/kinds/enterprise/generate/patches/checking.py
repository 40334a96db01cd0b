"""Patches: diffs applied to a file, or files written anew, decided by tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from worksmith.evals.scoring.hidden_tests.checking import cases_of, passes

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


_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_HUNK = re.compile(r"^@@", re.MULTILINE)


def patch_passes(code: str, change: str, tests: str) -> bool:
    """Whether `code` passes all `tests` after `change`.

    Args:
        code: the text of the file before the change.
        change: a unified diff, or the whole new text of the file; a Markdown fence around it is taken off.
        tests: test functions made of `assert call == literal`.
    """
    try:
        return passes(_changed(code, change), cases_of(tests))
    except DiffError:
        return False


def _changed(code: str, change: str) -> str:
    fenced = _FENCE.match(change)
    change = fenced[1] if fenced else change
    return apply_diff(code, change) if _HUNK.search(change) else change
