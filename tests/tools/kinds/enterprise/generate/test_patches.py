"""Diffs that apply, faults that tests catch, and a judge that cannot be talked into a pass."""

from __future__ import annotations

import builtins
import json
import keyword
import random
from importlib.resources import files
from itertools import zip_longest

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.patches.checking import DiffError, apply_diff, patch_passes
from tests.tools.kinds.enterprise.generate.patches.proving import prove
from worksmith.evals.scoring.hidden_tests.checking import cases_of
from worksmith.tools.kinds.enterprise.generate.code.families.python_functions import functions
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import (
    draw_module,
    make_diff,
    plant,
    proofs,
)
from worksmith.tools.kinds.enterprise.generate.code.subjects import subject, topics

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


@each_row(
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


def test_there_are_faults_of_every_kind_for_every_function() -> None:
    assert len(functions()) >= 150
    assert functions().keys() == proofs().keys()
    assert all(len(proof.faults) >= 4 for proof in proofs().values())
    assert {one.operator for proof in proofs().values() for one in proof.faults} == {
        *("comparison", "off_by_one", "wrong_variable", "missing_return", "wrong_default")
    }


@pytest.mark.parametrize("topic", ["checkout redesign", "gift wrapping option", "something unknown"])
def test_a_planted_fault_fails_and_its_patch_passes(topic: str) -> None:
    numbers = random.Random(topic)
    module = draw_module(numbers, '"""A header."""', subject(topic), 3, set())
    for part in range(3):
        planted = plant(numbers, module, part)
        assert planted.code != module.text
        pairs = zip_longest(planted.code.splitlines(), module.text.splitlines())
        assert planted.line == next(n for n, (one, other) in enumerate(pairs, 1) if one != other)
        cases = [(call.replace('"', "'"), value) for call, value in cases_of(module.tests)]
        assert (planted.call.replace('"', "'"), planted.expected) in cases
        assert not patch_passes(planted.code, planted.code, module.tests)
        assert patch_passes(planted.code, make_diff(planted.code, module.text, "a.py"), module.tests)


def test_no_function_uses_a_name_twice_for_different_things() -> None:
    for topic in topics():
        words = subject(topic)
        nouns = [
            words[slot] for slot in ("one", "many", "measure", "other", "label", "group", "key", "status")
        ]
        assert len(set(nouns)) == len(nouns), topic
        assert not any(keyword.iskeyword(noun) or hasattr(builtins, noun) for noun in nouns), topic
        for letter in "ab":
            values = [words[f"{letter}{place}"] for place in (1, 2, 3)]
            assert values == sorted(set(values)), topic


@pytest.mark.slow
def test_the_proofs_are_those_of_the_functions() -> None:
    path = files("worksmith.tools.kinds.enterprise.generate.code.patches").joinpath("proofs.json")
    stored = json.loads(path.read_text("utf-8"))
    found = functions()
    assert stored.keys() == found.keys()
    # Each proof runs a function many times, so these are a few from all over the list.
    assert all(stored[key] == prove(found[key]) for key in sorted(found)[:: len(found) // 2])
