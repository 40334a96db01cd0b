"""Diffs that apply, faults that tests catch, and a judge that cannot be talked into a pass."""

from __future__ import annotations

import json
import random
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evals.scoring.hidden_tests.checking import cases_of
from tests.tools.kinds.enterprise.generate.patches.checking import DiffError, apply_diff, patch_passes
from tests.tools.kinds.enterprise.generate.patches.proving import prove
from tools.kinds.enterprise.generate.code.patches.faults import OPERATORS, faults
from tools.kinds.enterprise.generate.code.patches.modules import (
    draw_module,
    functions,
    make_diff,
    plant,
    proven,
)

CODE = "def twice(number):\n    return number + 1\n"
FIXED = "def twice(number):\n    return number * 2\n"
TESTS = "def test_one():\n    assert twice(2) == 4\n\n\ndef test_two():\n    assert twice(5) == 10\n"

lines = st.lists(st.text("ab +-@\t", max_size=4), max_size=12)


def as_text(content: list[str]) -> str:
    return "".join(f"{line}\n" for line in content)


@given(lines, lines)
@example([], ["++ "])
@example(["-- a"], ["++ a"])
@example(["-- a", "b"], ["++ a", "b"])
def test_a_diff_leads_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    diff = make_diff(as_text(before), as_text(after), "a.py")
    if before == after:
        assert diff == ""
    else:
        assert apply_diff(as_text(before), diff) == as_text(after)


def test_a_hunk_finds_its_place_when_line_numbers_are_off() -> None:
    diff = make_diff(CODE, FIXED, "a.py")
    moved = '"""New first line."""\n\n' + CODE
    assert apply_diff(moved, diff) == '"""New first line."""\n\n' + FIXED
    assert apply_diff(CODE, diff.replace("@@ -1,2 +1,2 @@", "@@ ... @@")) == FIXED


def test_of_several_places_the_nearest_counts() -> None:
    text = "a\nx\n" * 5
    diff = "--- a/f\n+++ b/f\n@@ -7,2 +7,2 @@\n a\n-x\n+y\n"
    assert apply_diff(text, diff) == "a\nx\n" * 3 + "a\ny\n" + "a\nx\n"
    with pytest.raises(DiffError, match="several places"):
        apply_diff(text, "@@ @@\n a\n-x\n+y\n")


@pytest.mark.parametrize(
    ("diff", "reason"),
    [
        ("", "no hunk"),
        ("just words", "no hunk"),
        ("@@ -1,2 +1,2 @@\n def thrice(number):\n-    return number + 1\n+    return 0\n", "does not fit"),
        ("@@ -1 +1 @@\n?def\n", "begins with"),
        ("+++ b/a\n@@ -1 +1 @@\n-a\n+b\n+++ b/c\n@@ -1 +1 @@\n-a\n+b\n", "more than one file"),
        ("@@ -9,0 +9,1 @@\n+late\n", "where it belongs"),
    ],
)
def test_a_diff_that_does_not_fit_is_refused(diff: str, reason: str) -> None:
    with pytest.raises(DiffError, match=reason):
        apply_diff(CODE, diff)


@pytest.mark.parametrize(
    "change",
    [
        make_diff(CODE, FIXED, "a.py"),
        FIXED,
        f"```python\n{FIXED}```",
        f"```diff\n{make_diff(CODE, FIXED, 'a')}```\n",
    ],
)
def test_a_right_patch_passes_as_diff_or_as_code(change: str) -> None:
    assert patch_passes(CODE, change, TESTS)


@pytest.mark.parametrize("change", ["", "I have fixed the function.", CODE, FIXED.replace("twice", "thrice")])
def test_a_wrong_patch_fails(change: str) -> None:
    assert not patch_passes(CODE, change, TESTS)


def test_faults_do_not_depend_on_names() -> None:
    function = functions()["merge_ranges"]
    kinds = [
        [(fault.operator, fault.line) for fault in faults(function.render(name, argument))]
        for name, argument in zip(function.names, function.arguments, strict=True)
    ]
    assert all(kind == kinds[0] for kind in kinds)


def test_there_are_faults_of_every_kind_for_every_function() -> None:
    assert len(functions()) >= 30
    assert functions().keys() == proven().keys()
    assert all(len(entries) >= 8 for entries in proven().values())
    assert {one.operator for entries in proven().values() for one in entries} == set(OPERATORS)


@pytest.mark.parametrize("seed", range(6))
def test_a_planted_fault_fails_and_its_patch_passes(seed: int) -> None:
    numbers = random.Random(seed)
    module = draw_module(numbers, "A header.", 3)
    planted = plant(numbers, module, seed % 3)
    assert planted.code != module.text
    pairs = zip(planted.code.splitlines(), module.text.splitlines(), strict=False)
    assert planted.line == next(number for number, (one, other) in enumerate(pairs, 1) if one != other)
    cases = [(call.replace('"', "'"), value) for call, value in cases_of(module.tests)]
    assert (planted.call.replace('"', "'"), planted.expected) in cases
    assert not patch_passes(planted.code, planted.code, module.tests)
    assert patch_passes(planted.code, make_diff(planted.code, module.text, "a.py"), module.tests)


@pytest.mark.slow
def test_the_proofs_are_those_of_the_functions() -> None:
    path = files("tools.kinds.enterprise.generate.code.patches").joinpath("faults.json")
    stored = json.loads(path.read_text("utf-8"))
    found = functions()
    assert stored.keys() == found.keys()
    # Each proof runs a module many times, so these are a few from all over the list.
    assert all(stored[key] == prove(found[key]) for key in sorted(found)[:: len(found) // 2])
