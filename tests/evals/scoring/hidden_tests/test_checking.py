"""Hidden tests decide about code, and about nothing else in an outcome."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from worksmith.evals.scoring.hidden_tests.checking import cases_of, failing, passes

CODE = "def twice(number):\n    return number + 1\n"
FIXED = "def twice(number):\n    return number * 2\n"
CASES = (("twice(2)", "4"), ("twice(5)", "10"))


def test_right_code_passes_however_it_is_written() -> None:
    assert passes(FIXED, CASES)
    assert passes("twice = lambda number: number + number", CASES)
    assert passes("def twice(number):\n    return float(number * 2)\n", CASES)


@each_row(
    ("code", "failed"),
    [
        (CODE, (0, 1)),
        ("", (0, 1)),
        ("def twice(number):\n    return 4\n", (1,)),
        ("def twice(number):\n    return str(number * 2)\n", (0, 1)),
        ("def twice(number):\n    return number * 2.000001\n", (0, 1)),
        ("def twice(number:\n", (0, 1)),
        ("def other(number):\n    return number * 2\n", (0, 1)),
        ("#" * 200_001, (0, 1)),
    ],
)
def test_wrong_code_fails(code: str, failed: tuple[int, ...]) -> None:
    assert failing(code, CASES) == failed


def test_values_of_other_types_are_others() -> None:
    assert not passes("def f():\n    return 1\n", (("f()", "True"),))
    assert not passes("def f():\n    return True\n", (("f()", "1"),))
    assert not passes("def f():\n    return [1]\n", (("f()", "(1,)"),))
    assert not passes("def f():\n    return 10 ** 400\n", (("f()", "1.0"),))
    assert passes("def f():\n    return {'a': 0.1 + 0.2}\n", (("f()", "{'a': 0.3}"),))


def test_cases_are_read_from_assertions() -> None:
    tests = "def test_one():\n    assert twice(2) == 4\n\n\ndef test_two():\n    assert twice(5) == 10\n"
    assert cases_of(tests) == CASES
    with pytest.raises(ValueError, match="assert nothing"):
        cases_of("def test_nothing():\n    pass\n")
    with pytest.raises(ValueError, match="not of the form"):
        cases_of("assert twice(2) > 3")
