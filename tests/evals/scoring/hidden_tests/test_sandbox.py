"""Code that nobody has read: it computes, and can do nothing else."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.evals.scoring.hidden_tests.hostile import HARMING, PASSING, written
from tests.tables import each_row
from worksmith.evals.scoring.hidden_tests import sandbox
from worksmith.evals.scoring.hidden_tests.sandbox import SandboxError, plain_value, run_calls

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the filter of system calls is Linux's")
pytestmark = LINUX
SLOW = {"endless loop", "deaf loop", "recursion", "huge number", "fork bomb", "thread bomb", "sleep"}


def test_results_come_back_as_they_are() -> None:
    code = "def same(value):\n    return value\n"
    values = [1, "ä", 2.5, None, True, [1, (2,)], {"a": [1], 3: ()}, {4, 5}, [], {}]
    found = run_calls(code, [f"same({value!r})" for value in values])
    assert found is not None
    back = [plain_value(one["value"]) for one in found]
    assert [(type(one), one) for one in back] == [(type(one), one) for one in values]


def test_failures_of_calls_are_named() -> None:
    code = "def f(x):\n    return 1 / x\n\n\ndef g():\n    return f\n"
    assert run_calls(code, ["f(0)", "f(1)", "h()", "g()"]) == [
        {"error": "ZeroDivisionError"},
        {"value": "1.0"},
        {"error": "NameError"},
        {"error": ""},
    ]


def test_the_order_of_sets_is_the_same_in_every_process() -> None:
    code = "def f():\n    return list({'ada', 'bo', 'cy', 'di', 'ed'})\n"
    assert run_calls(code, ["f()"]) == run_calls(code, ["f()"])


def test_common_modules_can_be_imported_and_others_cannot() -> None:
    code = "import math\nfrom datetime import datetime\n\n\ndef f():\n    import socket\n\n\n"
    code += "def g():\n    return math.floor(2.5), datetime.strptime('2021', '%Y').year\n"
    assert run_calls(code, ["f()", "g()"]) == [
        {"error": "ModuleNotFoundError"},
        {"value": '["tuple", 2, 2021]'},
    ]


@each_row("trick", PASSING)
def test_no_trick_gives_the_value_wanted(trick: str) -> None:
    found = run_calls(written(PASSING[trick]), ["f(2)"])
    assert found is None or "value" not in found[0] or plain_value(found[0]["value"]) != 7


@pytest.mark.slow
@pytest.mark.parametrize(
    "attempt", [pytest.param(a, marks=pytest.mark.slow) if a in SLOW else a for a in HARMING]
)
def test_no_attempt_harms(attempt: str, tmp_path: Path) -> None:
    left = tmp_path / "left behind"
    before, started = _processes(), time.monotonic()
    run_calls(written(HARMING[attempt], left=str(left)), ["f()"], seconds=1)
    assert time.monotonic() - started < 10
    assert not left.exists()
    assert _processes() <= before


@each_row(
    "act",
    [
        "open('/etc/passwd').read()",
        "open('/proc/self/environ').read()",
        "open('left_behind', 'w')",
        "posix.listdir('/')",
        "posix.unlink('x')",
        "posix.mkdir('x')",
        "posix.fork()",
        "posix.kill(posix.getppid(), 0)",
        "__import__('time').sleep(1)",
        "'x' * 10 ** 10",
    ],
)
def test_what_code_may_not_do_fails_in_it(act: str) -> None:
    code = "import sys\nposix = sys.modules['posix']\n\n\ndef f():\n    try:\n        "
    code += f"{act}\n    except (OSError, MemoryError):\n        return 'refused'\n    return 'done'\n"
    assert run_calls(code, ["f()"]) == [{"value": '"refused"'}]


def test_a_machine_that_cannot_lock_a_process_runs_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked = sandbox._child().replace("aarch64", "none").replace("x86_64", "neither")
    monkeypatch.setattr(sandbox, "_child", lambda: unlocked)
    with pytest.raises(SandboxError, match="locked"):
        run_calls("def f():\n    return 1\n", ["f()"])


@each_row("text", ["nothing", "[]", '["none"]', '["dict", 1]', '["set", ["list"]]', "[" * 99_999])
def test_what_is_no_result_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        plain_value(text)


def _processes() -> set[str]:
    """Processes that this one has started and that are still there."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            if state.rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(entry)
    return found
