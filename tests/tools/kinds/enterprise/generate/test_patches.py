"""Diffs that apply, and faults that tests catch."""

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

from tests.tools.kinds.enterprise.generate.patches.checking import apply_diff, passes_tests
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
        assert not passes_tests(planted.code, module.tests)
        assert passes_tests(module.text, module.tests)


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
