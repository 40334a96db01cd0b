"""Content addresses of values: equal content is the same, and what has no content is refused."""

from __future__ import annotations

import enum
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from pydantic import BaseModel

from worksmith.tools.canonical import NoContentError, canonical
from worksmith.tools.seeding import digest


class Colour(enum.Enum):
    RED = 0
    BLUE = 1


class Model(BaseModel):
    size: int


@dataclass
class Data:
    size: int


class Slotted:
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size


class Client:
    pass


def a_function() -> None:
    pass


MADE: dict[str, Callable[[int], Any]] = {
    "number": int,
    "text": str,
    "truth": bool,
    "whole number of numpy": lambda n: np.int32(n + 2),
    "single precision": lambda n: np.float32((n + 1) / 3),
    "long double": lambda n: np.longdouble(n) / 3,
    "time of numpy": lambda n: np.datetime64(n, "ns"),
    "complex": complex,
    "array": lambda n: np.full((2, 2), n),
    "array of another type": lambda n: np.full((2, 2), n, dtype="float32"),
    "array of another shape": lambda n: np.full(4, n),
    "array of objects": lambda n: np.array([n, "x"], dtype=object),
    "frame": lambda n: pd.DataFrame({"a": [n]}),
    "series": lambda n: pd.Series([n]),
    "time of pandas": pd.Timestamp,
    "missing value": lambda n: (pd.NA, pd.NaT)[n],
    "bytes": lambda n: bytes([n, 255]),
    "decimal": Decimal,
    "decimal with a place": lambda n: Decimal(f"{n}.0"),
    "fraction": lambda n: Fraction(n, 7),
    "day": lambda n: date(2024, 1, 1 + n),
    "day as text": lambda n: f"2024-01-0{1 + n}",
    "time": lambda n: datetime(2024, 1, 1, n),
    "time in a zone": lambda n: datetime(2024, 1, 1, n, tzinfo=UTC),
    "duration": timedelta,
    "id": lambda n: UUID(int=n),
    "path": lambda n: Path(f"/{n}"),
    "member": Colour,
    "model": lambda n: Model(size=n),
    "dataclass": Data,
    "slots": Slotted,
    "set": lambda n: {"a", f"b{n}"},
    "frozen set": lambda n: frozenset({n}),
    "tuple": lambda n: (n,),
    "list": lambda n: [n],
    "keys of numbers": lambda n: {n: 1},
    "counter": lambda n: Counter(a=n),
    "deque": lambda n: deque([n]),
    "within others": lambda n: [{"a": (np.full(2, n),)}],
    "classes and functions": lambda n: (Model, a_function)[n],
}


def test_other_values_have_other_addresses_and_equal_ones_the_same() -> None:
    first, again, other = (
        {name: digest(canonical(make(n))) for name, make in MADE.items()} for n in (0, 0, 1)
    )
    assert first == again
    every = [*first.values(), *other.values()]
    assert [value for value, count in Counter(every).items() if count > 1] == []


def test_a_number_of_numpy_is_the_number_that_it_equals() -> None:
    for given, meant in ((np.int64(3), 3), (np.bool_(True), True), (np.array(0.5), 0.5), (np.str_("x"), "x")):
        assert canonical(given) == meant
        assert type(canonical(given)) is type(meant)


def test_the_order_of_a_set_and_of_keys_is_nothing() -> None:
    assert canonical(set("abcdef")) == canonical(set("fedcba"))
    assert digest(canonical({1: "a", "x": 2})) == digest(canonical({"x": 2, 1: "a"}))


def _circle() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _deep() -> list[Any]:
    made: list[Any] = []
    for _ in range(2000):
        made = [made]
    return made


WITHOUT: dict[str, Callable[[], Any]] = {
    "lambda": lambda: lambda: 0,
    "generator": lambda: (n for n in [0]),
    "lock": threading.Lock,
    "file": lambda: Path(__file__).open(),  # noqa: SIM115
    "object": object,
    "client": Client,
    "within a circle": _circle,
    "too deep": _deep,
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", WITHOUT)
def test_what_has_no_content_that_stays_the_same_is_refused(name: str) -> None:
    made = WITHOUT[name]()
    for value in (made, [{"a": made}], Data(made)):
        with pytest.raises(NoContentError):
            canonical(value)
    assert canonical([made], lambda _: "served")
