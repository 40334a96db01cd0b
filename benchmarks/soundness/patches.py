"""Every fault that can be planted, against its gold patch, wrong patches and hostile ones.

Targets: each function passes its cases, each fault fails them, and so do at least 20 wrong patches of each
fault and all of `tests/evals/scoring/hidden_tests/hostile.py`, which leave no file and no process behind and
end within 15 seconds. All faults take some minutes.
"""

from __future__ import annotations

import ast
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.evals.scoring.hidden_tests.hostile import HARMING, PASSING, written
from worksmith.evals.scoring.hidden_tests.checking import Cases, failing, passes
from worksmith.evals.scoring.hidden_tests.sandbox import run_calls
from worksmith.tools.kinds.enterprise.generate.code.families.python_functions import Function, functions
from worksmith.tools.kinds.enterprise.generate.code.patches.faults import faults
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import Proven, proofs

DESCRIPTION = (
    "all faults of code: gold patches pass, the fault and 20 wrong patches fail, hostile ones do no harm"
)

_QUICK_STEP = 400
_WRONG = 20
_LONGEST = 15.0
_SAYINGS = ("", "I have mended it.", "pass\n", "def NAME():\n    return 1\n", "(", "import NAME\n")
_CONSTANTS = ("None", "0", "1", "[]", "{}", "()", "''", "True", "False", "-1", "0.0", "'done'", "set()")


def run(quick: bool) -> dict[str, Any]:
    """Check all faults, or one in `_QUICK_STEP`, and all hostile patches.

    Returns:
        Counts, the median milliseconds of a run, and `wrong`, a line for each patch with another verdict.
    """
    every = [(one, proven) for one in functions().values() for proven in proofs()[one.key].faults]
    chosen = every[:: _QUICK_STEP if quick else 1]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda one: _checked(*one), chosen))
    times = sorted(seconds for _, _, seconds in found)
    wrong = [line for lines, _, _ in found for line in lines]
    return {
        "functions": len({one.key for one, _ in chosen}),
        "faults": len(chosen),
        "wrong_patches": sum(count for _, count, _ in found),
        "hostile": len(PASSING) + len(HARMING),
        "milliseconds": round(1000 * times[len(times) // 2], 1),
        "wrong": [*wrong, *_harmed(("fork bomb", "file", "network") if quick else tuple(HARMING))],
    }


def _checked(function: Function, proven: Proven) -> tuple[list[str], int, float]:
    """What has another verdict than it should have, how many wrong patches there were, seconds of one run."""
    right = function.code.strip("\n") + "\n"
    cases: Cases = tuple(zip(function.calls, proofs()[function.key].expected, strict=True))
    place = f"{function.key}, fault {proven.number}"
    started = time.perf_counter()
    lines = [] if passes(f"# {proven.number}\n{right}", cases) else [f"{place}: the gold patch fails"]
    seconds = time.perf_counter() - started
    patches = dict.fromkeys(_wrong(function, proven, cases))
    lines += [f"{place}: {patch!r} passes" for patch in patches if not failing(patch, cases)]
    if len(patches) < _WRONG:
        lines.append(f"{place}: only {len(patches)} wrong patches")
    return lines, len(patches), seconds


def _wrong(function: Function, proven: Proven, cases: Cases) -> Iterator[str]:
    """The fault itself, other faults, a patch for the example of the issue alone, constants, and talk."""
    variants = faults(function.code.strip("\n") + "\n")
    faulty = variants[proven.number].source
    yield faulty
    call, expected = cases[proven.case]
    given = ast.parse(call, mode="eval").body
    assert isinstance(given, ast.Call)
    example = f"[{', '.join(map(ast.unparse, given.args))}]"
    yield (
        f"{faulty}\n\n_general = NAME\n\n\ndef NAME(*given, **more):\n"
        f"    return {expected} if list(given) == {example} else _general(*given, **more)\n"
    )
    yield from (variants[other.number].source for other in proofs()[function.key].faults[:8])
    yield from (f"{faulty}\n\n{written(trick, name='NAME')}" for trick in PASSING.values())
    for constant in (*_CONSTANTS, expected):
        if len({value for _, value in cases}) > 1:
            yield f"def NAME(*given, **more):\n    return {constant}\n"
    yield from _SAYINGS


def _harmed(attempts: tuple[str, ...]) -> Iterator[str]:
    """What the attempts left behind, and those that took too long."""
    with tempfile.TemporaryDirectory() as folder:
        for attempt in attempts:
            left, started = Path(folder, "left"), time.monotonic()
            run_calls(written(HARMING[attempt], left=str(left)), ["f()"])
            if left.exists() or time.monotonic() - started > _LONGEST:
                yield f"{attempt}: it did harm"
    if children := _children():
        yield f"processes are left: {children}"


def _children() -> list[str]:
    """The processes that this one has started and that are still there."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(os.getpid()):
            found.append(stat.parent.name)
    return found
