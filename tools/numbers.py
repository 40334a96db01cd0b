"""Numbers of Python, numpy and torch; none of them needs to be imported for it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

_ROUNDING = 1e-6
"""A figure in single precision may be so far beyond 0 or 1; the cosine of equal vectors is 1.0000001."""


def scalar(value: Any) -> Any:
    """The Python value of a number of numpy, or of an array or tensor with no dimension; else the value."""
    if hasattr(value, "dtype") and getattr(value, "shape", None) == () and hasattr(value, "item"):
        # The item of a time in nanoseconds is a plain integer.
        return value if getattr(value.dtype, "kind", "") in ("m", "M") else value.item()
    return value


def listed(value: Any) -> Any:
    """An array, a tensor or a number of their packages as lists and numbers; the `fallback` of pydantic."""
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        times = getattr(value.dtype, "kind", "") in ("m", "M")
        return (value.astype(str) if times else value).tolist()
    raise TypeError(f"a value of the type {type(value).__qualname__} is not JSON")


def python_numbers(value: Any) -> Any:
    """Data as of JSON with Python's numbers, and lists in place of arrays."""
    if isinstance(value, dict):
        return {name: python_numbers(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [python_numbers(item) for item in value]
    if isinstance(value, Decimal | Fraction):
        return number(value)
    return listed(value) if hasattr(value, "dtype") else value


def number(value: Any) -> float | int | None:
    """A number as an `int` or a `float`; None for anything else, NaN and infinity included."""
    value = scalar(value)
    if isinstance(value, int):
        return int(value)
    try:
        return float(value) if isinstance(value, Real | Decimal) and math.isfinite(value) else None
    except (ValueError, OverflowError):
        return None


def share(value: Any) -> float | None:
    """A number from 0 to 1, rounding forgiven; None for anything else."""
    found = number(value)
    if found is None or not -_ROUNDING <= found <= 1 + _ROUNDING:
        return None
    return float(min(max(found, 0), 1))
