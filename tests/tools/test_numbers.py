"""A number is a number, whoever made it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.tables import each_row
from worksmith.tools.numbers import number, python_numbers, share

NUMBERS = [
    (True, 1),
    (np.bool_(False), 0),
    (np.int64(3), 3),
    (np.float32(0.5), 0.5),
    (np.array(2.0), 2.0),
    (np.longdouble(0.25), 0.25),
    (Decimal("0.5"), 0.5),
    (Fraction(1, 4), 0.25),
]
NONE = [
    None,
    "0.5",
    math.nan,
    math.inf,
    np.float64("nan"),
    Decimal("nan"),
    Decimal("sNaN"),
    [1],
    1j,
    np.ones(1),
]


def test_numbers_are_pythons() -> None:
    for given, meant in NUMBERS:
        assert number(given) == meant
        assert type(number(given)) in (int, float)
    assert [number(each) for each in NONE] == [None] * len(NONE)


@each_row(
    ("given", "meant"),
    [
        (1.0000001, 1.0),
        (np.float32(1.0000001), 1.0),
        (-1e-9, 0.0),
        (Fraction(1, 2), 0.5),
        (1.001, None),
        (-0.001, None),
        (10, None),
        (math.nan, None),
    ],
)
def test_a_share_forgives_rounding_and_no_more(given: Any, meant: float | None) -> None:
    assert share(given) == meant


def test_numbers_within_data_are_pythons() -> None:
    days = np.array(["2024-01-01"], dtype="datetime64[ns]")
    given = {"a": np.int64(1), "b": [np.arange(2), (Decimal("1.5"),)], "c": "x", "d": days}
    assert python_numbers(given) == {
        "a": 1,
        "b": [[0, 1], [1.5]],
        "c": "x",
        "d": ["2024-01-01T00:00:00.000000000"],
    }
