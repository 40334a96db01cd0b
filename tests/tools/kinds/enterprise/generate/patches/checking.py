"""Whether a patch mends a file."""

from __future__ import annotations

import re

from worksmith.evals.scoring.hidden_tests.checking import cases_of, passes

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ")


def apply_diff(text: str, diff: str) -> str:
    """`text` after a unified diff that is for it."""
    lines, changed, at = text.splitlines(), [], 0
    for line in diff.splitlines()[2:]:
        if hunk := _HUNK.match(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            changed += lines[at:start]
            at = start
        elif line.startswith("+"):
            changed.append(line[1:])
        else:
            assert lines[at] == line[1:]
            changed += [line[1:]] if line.startswith(" ") else []
            at += 1
    return "".join(f"{line}\n" for line in [*changed, *lines[at:]])


def passes_tests(code: str, tests: str) -> bool:
    """Whether `code` passes test functions made of `assert call == literal`."""
    return passes(code, cases_of(tests))
